import type { SealedColumn } from "#platform/sealing/column.ts";

/** The private key by which encrypted passwords are read. */
export const sealedPrivateKey: SealedColumn = {
  table: "platform.key_pair",
  key: { name: "text" },
  column: "private_key",
};

export const sealedOfAccounts: readonly SealedColumn[] = [sealedPrivateKey];
