import { useSearchParams } from "react-router";
import { attendance } from "#shared/api/attendance.ts";
import { useRead } from "#console/call/use-call.ts";
import type { Month } from "#console/pages/attendance/records.ts";

/** What is laid beside the month: another month, or a version of it. */
export type Other = { readonly with: string } | { readonly version: number };

/** What is compared, all of it in the address. */
export interface Compared {
  readonly month: string;
  readonly other: Other;
  readonly department: string | undefined;
  readonly onlyChanged: boolean;
}

const toOther = (text: string): Other => (/^v\d+$/.test(text) ? { version: Number(text.slice(1)) } : { with: text });
/** The other as the value of a choice. */
export const fromOther = (other: Other): string => ("version" in other ? `v${other.version}` : other.with);

/** The address, and what stands in it for what is left out: the newest month, beside the one before or its newest version. */
export function useCompared(analysed: readonly Month[]) {
  const [search, setSearch] = useSearchParams();
  const month = search.get("month") ?? analysed[0]?.month;
  const { data: versions } = useRead(
    attendance.listVersions,
    { query: { month } },
    { enabled: month !== undefined, keep: true },
  );
  const own = versions?.filter((each) => each.month === month);
  const version = Number(search.get("version"));
  const before = analysed.find((each) => each.month !== month && each.month === search.get("with"));
  const standard =
    before ??
    analysed.find((each) => month !== undefined && each.month < month) ??
    analysed.find((each) => each.month !== month);
  const fallback: Other | undefined =
    standard !== undefined ? { with: standard.month } : own?.[0] && { version: own[0].id };
  const other = Number.isInteger(version) && version > 0 ? { version } : fallback;
  const change = (part: Readonly<Record<string, string | undefined>>) =>
    setSearch(
      (last) => {
        const next = new URLSearchParams(last);
        for (const [key, value] of Object.entries(part)) {
          if (value === undefined) next.delete(key);
          else next.set(key, value);
        }
        return next;
      },
      { replace: true },
    );
  return {
    month,
    other,
    versions: own,
    department: search.get("department") ?? undefined,
    onlyChanged: search.get("changed") === "1",
    change,
    chooseMonth: (next: string) => change({ month: next, version: undefined }),
    chooseOther: (value: string) => {
      const chosen = toOther(value);
      change(
        "version" in chosen
          ? { version: String(chosen.version), with: undefined }
          : { with: chosen.with, version: undefined },
      );
    },
  };
}
