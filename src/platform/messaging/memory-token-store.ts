import { randomUUID } from "node:crypto";
import type { StoredToken, TokenStore } from "./token-cache.ts";

type Row = StoredToken & { leaseId: string | null; leasedUntilMs: number };

/** Keeps tokens in this process only: for tests, and for tools that run without a database. */
export function createMemoryTokenStore(): TokenStore {
  const rows = new Map<string, Row>();

  function rowOf(name: string): Row {
    const row = rows.get(name) ?? { token: null, forced: null, leaseId: null, leasedUntilMs: 0 };
    rows.set(name, row);
    return row;
  }

  async function change(name: string, leaseId: string, changes: Partial<Row>): Promise<void> {
    const row = rowOf(name);
    if (row.leaseId === leaseId) rows.set(name, { ...row, ...changes });
  }

  return {
    read: async (name) => toStored(rowOf(name)),
    async claim(name, leaseMs) {
      const row = rowOf(name);
      if (row.leaseId !== null && row.leasedUntilMs > performance.now()) return null;
      const leaseId = randomUUID();
      rows.set(name, { ...row, leaseId, leasedUntilMs: performance.now() + leaseMs });
      return { leaseId, stored: toStored(row) };
    },
    saveForced: (name, leaseId, forced) => change(name, leaseId, { forced }),
    saveToken: (name, leaseId, token) => change(name, leaseId, { token }),
    release: (name, leaseId) => change(name, leaseId, { leaseId: null }),
  };
}

function toStored({ token, forced }: Row): StoredToken {
  return { token, forced };
}
