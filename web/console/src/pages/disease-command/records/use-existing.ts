import { compareNames } from "#console/blocks/format.ts";
import type { Option } from "#console/blocks/fields.tsx";
import type { Operation } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";

/** As many as a page may have: who types a type or a grade has typed it in one of the latest. */
const pageSize = 1000;

/** What the latest records of a list hold in a field, each once and in the order of names: to choose from. */
export function useExisting(operation: Operation, field: string): readonly string[] {
  const { data } = useRead(operation, { query: { curPage: 1, pageSize } });
  const page = data as { list?: readonly object[]; recordPage?: { list: readonly object[] } } | undefined;
  const records = page?.list ?? page?.recordPage?.list ?? [];
  const values = records.map((record) => String(Reflect.get(record, field) ?? "")).filter((value) => value !== "");
  return [...new Set(values)].toSorted(compareNames);
}

export const toOption = (value: string): Option => ({ value, label: value });
