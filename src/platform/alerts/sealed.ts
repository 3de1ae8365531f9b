import { placeOf, type SealedColumn } from "#platform/sealing/column.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";

const table = "platform.alert_channel";
const key = { id: "bigint" } as const;

const secret: SealedColumn = { table, key, column: "secret" };
// That of a robot lets whoever has it say what they like.
const address: SealedColumn = { table, key, column: "address" };

export const sealedOfAlerts: readonly SealedColumn[] = [secret, address];

interface Secrets {
  readonly address: string;
  readonly secret: string;
}

/** What is stored of a channel's address and secret, of those that are given. */
export const sealSecrets = <T extends { readonly [F in keyof Secrets]?: Secrets[F] | undefined }>(
  keys: Keyring,
  channel: T,
): T => ({
  ...channel,
  ...(channel.address !== undefined && { address: keys.seal(placeOf(address), channel.address) }),
  ...(channel.secret !== undefined && { secret: keys.seal(placeOf(secret), channel.secret) }),
});

export const openSecrets = <T extends Secrets>(keys: Keyring, channel: T): T => ({
  ...channel,
  address: keys.open(placeOf(address), channel.address),
  secret: keys.open(placeOf(secret), channel.secret),
});
