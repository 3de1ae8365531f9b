import { place } from "#shared/place.ts";

// The receipts of what was submitted from this device, so that nobody depends on having saved a link.

const key = `quintet.report-receipts${place.base}`;
const mostKept = 50;

export interface KeptReceipt {
  readonly receipt: string;
  readonly entryName: string;
  readonly atMs: number;
}

/** The newest first. */
export function listReceipts(): readonly KeptReceipt[] {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "[]") as KeptReceipt[];
  } catch {
    // Storage may be forbidden, or hold what another version of the page wrote.
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
    // Then the submitter has the link alone.
  }
}
