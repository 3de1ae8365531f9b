import { compareNames } from "#console/blocks/format.ts";
import type { Option } from "#console/blocks/fields.tsx";
import type { Operation } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";

/** The API's largest page. Types and grades in use are expected to occur among its records. */
const pageSize = 1000;

export function useExisting(operation: Operation, field: string): readonly string[] {
  const { data } = useRead(operation, { query: { curPage: 1, pageSize } });
  const page = data as { list?: readonly object[]; recordPage?: { list: readonly object[] } } | undefined;
  const records = page?.list ?? page?.recordPage?.list ?? [];
  const values = records.map((record) => String(Reflect.get(record, field) ?? "")).filter((value) => value !== "");
  return [...new Set(values)].toSorted(compareNames);
}

export const toOption = (value: string): Option => ({ value, label: value });
