import { place } from "#shared/place.ts";

// The receipts of this device's submissions, so that nobody depends on a saved link.

const key = `quintet.report-receipts${place.base}`;
const mostKept = 50;

export interface KeptReceipt {
  readonly receipt: string;
  readonly entryName: string;
  readonly atMs: number;
}

/** Newest first. */
export function listReceipts(): readonly KeptReceipt[] {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "[]") as KeptReceipt[];
  } catch {
    // Storage may be blocked, or hold another version's format.
    return [];
  }
}

export function rememberReceipt(receipt: string, entryName: string): void {
  keep([{ receipt, entryName, atMs: Date.now() }, ...listReceipts()].slice(0, mostKept));
}

export const forgetReceipts = (): void => keep([]);

function keep(receipts: readonly KeptReceipt[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(receipts));
  } catch {
    // Storage may be blocked; the submitter then has only the link.
  }
}
