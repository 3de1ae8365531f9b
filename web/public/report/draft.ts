import { makeKey } from "#shared/call/exchange.ts";
import { place, toOutsideAddress } from "#shared/place.ts";
import { noValues, type Values } from "#public/report/fields.ts";

// What has been typed but not submitted, kept in this browser alone until it is.

const key = `quintet.report-draft${place.base}`;

export interface KeptFile {
  readonly name: string;
  /** Where it is; null of one that had not been uploaded when the page was left. */
  readonly path: string | null;
  readonly atMs: number;
}

export interface Draft {
  readonly values: Values;
  readonly files: readonly KeptFile[];
  /** By which the server knows a submission that comes twice, after a reload too. */
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
    // Storage may be forbidden, or hold what another version of the page wrote.
    return newDraft();
  }
}

export function keepDraft(draft: Draft): void {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Then it lasts as long as the page.
  }
}

export function forgetDraft(): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // There is none then.
  }
}

export const toReceiptPath = (receipt: string): string => `${place.base}${place.page}r/${receipt}`;

/** The same for the outside: a code that is scanned, a link that is passed on. */
export const toReceiptAddress = (receipt: string): string => toOutsideAddress(`${place.page}r/${receipt}`);
