import { makeKey } from "#shared/call/exchange.ts";
import { place, toOutsideAddress } from "#shared/place.ts";
import { noValues, type Values } from "#public/report/fields.ts";

// The unsent form, kept only in this browser.

const key = `quintet.report-draft${place.base}`;

export interface KeptFile {
  readonly name: string;
  /** The uploaded file's path; null if the upload was unfinished when the page closed. */
  readonly path: string | null;
  readonly atMs: number;
}

export interface Draft {
  readonly values: Values;
  readonly files: readonly KeptFile[];
  /** The idempotency key of the submission, which survives a reload. */
  readonly idempotencyKey: string;
}

export const newDraft = (): Draft => ({ values: noValues, files: [], idempotencyKey: makeKey() });

export function readDraft(): Draft {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? "null") as Partial<Draft> | null;
    if (!kept) return newDraft();
    const draft = { ...newDraft(), ...kept };
    return { ...draft, values: { ...noValues, ...draft.values } };
  } catch {
    // Storage may be blocked, or hold another version's format.
    return newDraft();
  }
}

export function keepDraft(draft: Draft): void {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Storage may be blocked; the draft then lives as long as the page.
  }
}

export function forgetDraft(): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Storage may be blocked.
  }
}

export const toReceiptPath = (receipt: string): string => `${place.base}${place.page}r/${receipt}`;

/** The absolute address of a receipt, for QR codes and shared links. */
export const toReceiptAddress = (receipt: string): string => toOutsideAddress(`${place.page}r/${receipt}`);
