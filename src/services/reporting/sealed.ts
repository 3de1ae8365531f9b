import {
  phoneLookupTerms,
  type Keyring,
  bindingOf,
  type SealedColumn,
  normalizePhone,
  openOrShow,
  toStoredValue,
} from "#platform/sealing/keyring.ts";

const report = { table: "reporting.report", key: { id: "bigint" } } as const;

const phone: SealedColumn = {
  ...report,
  column: "phone",
  sealedIn: "phone_sealed",
  found: "phone_found",
  compare: normalizePhone,
};
const wxPhone: SealedColumn = { ...report, column: "wx_phone" };

export const sealedColumns: readonly SealedColumn[] = [phone, wxPhone];

export function sealPhones<T extends { readonly phone: string; readonly wxPhone?: string | undefined }>(
  keys: Keyring,
  report: T,
) {
  const { plain, apart, found } = toStoredValue(keys, phone, report.phone);
  const bound = report.wxPhone === undefined ? undefined : keys.seal(bindingOf(wxPhone), report.wxPhone);
  return { ...report, phone: plain, phoneSealed: apart, phoneFound: found, wxPhone: bound };
}

interface StoredPhones {
  readonly phone: string;
  readonly phoneSealed: string | null;
  readonly wxPhone: string | null;
}

/** A row without a sealed phone number and without a bound phone number is returned as it is. */
export function openPhones<T extends StoredPhones>(keys: Keyring, row: T): T {
  const { phone: plain, phoneSealed, wxPhone: bound } = row;
  if (phoneSealed === null && bound === null) return row;
  return {
    ...row,
    phone: openOrShow(keys, phone, plain, phoneSealed),
    wxPhone: bound === null ? null : openOrShow(keys, wxPhone, bound),
  };
}

export const findPhone = (keys: Keyring, keyword: string): string[] => phoneLookupTerms(keys, phone, keyword);
