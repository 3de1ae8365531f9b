import { makeKey } from "#shared/call/exchange.ts";
import { place, toOutsideAddress } from "#shared/place.ts";
import { noValues, type Values } from "#public/report/fields.ts";

const key = `quintet.report-draft${place.base}`;

export interface KeptFile {
  readonly name: string;
  /** Null if the upload had not succeeded when the page closed. */
  readonly path: string | null;
  readonly atMs: number;
}

export interface Draft {
  readonly values: Values;
  readonly files: readonly KeptFile[];
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
    // Storage may be blocked, or hold a draft from another version of this page.
    return newDraft();
  }
}

export function keepDraft(draft: Draft): void {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // If storage is blocked, the draft lasts as long as the page.
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

export const toReceiptAddress = (receipt: string): string => toOutsideAddress(`${place.page}r/${receipt}`);
