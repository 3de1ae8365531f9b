import { place } from "#shared/place.ts";

// The device keeps the receipts of its submissions, so that nobody depends on a saved link.

const key = `quintet.report-receipts${place.base}`;
const mostKept = 50;

export interface KeptReceipt {
  readonly receipt: string;
  readonly entryName: string;
  readonly atMs: number;
}

export function listReceipts(): readonly KeptReceipt[] {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "[]") as KeptReceipt[];
  } catch {
    // Storage may be blocked, or hold receipts from another version of this page.
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
    // If storage is blocked, the submitter has only the link.
  }
}
