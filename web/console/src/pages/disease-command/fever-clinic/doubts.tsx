import dayjs from "dayjs";
import type { Question } from "#console/blocks/form-drawer.tsx";
import { findUnlike } from "#shared/clinic/plausible.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { call } from "#console/call/call.ts";
import { useClinicTexts as useTexts } from "#console/pages/disease-command/texts.ts";

export type Known = RecordOf<typeof diseaseCommand.listFeverClinics>;

export const counts = ["feverClinicCount", "epidemicCount"] as const;
const comparedDays = 28;

export interface ClinicRow {
  readonly hospitalName?: string;
  readonly feverClinicCount?: number | null;
  readonly epidemicCount?: number | null;
}

export function toKnownQuery(day: string) {
  const before = (days: number) => dayjs(day).subtract(days, "day").format("YYYY-MM-DD");
  return { startDate: before(comparedDays), endDate: before(1), curPage: 1, pageSize: 1000 };
}

export const ofHospital = (known: readonly Known[], name: string | undefined): readonly Known[] =>
  known.filter(({ hospitalName }) => hospitalName === name?.trim());

/** Finds figures that are far from the hospital's figures of the four weeks before. */
export function useDoubts() {
  const t = useTexts();
  const find = (known: readonly Known[], rows: readonly ClinicRow[]): string[] =>
    rows.flatMap((row) =>
      counts.flatMap((name) => {
        const figure = row[name] ?? 0;
        const usual = findUnlike(
          figure,
          ofHospital(known, row.hospitalName).map((one) => one[name]),
        );
        return usual === undefined ? [] : [t.unlike(row.hospitalName ?? "", t[name], figure, usual)];
      }),
    );
  const findOfDay = async (day: string, rows: readonly ClinicRow[]): Promise<string[]> =>
    find((await call(diseaseCommand.listFeverClinics, { query: toKnownQuery(day) })).list, rows);
  const ask = (doubts: readonly string[]): Question => ({
    title: t.unlikeTitle,
    content: doubts.map((doubt) => <p key={doubt}>{doubt}</p>),
    okText: t.isSo,
    cancelText: t.mend,
  });
  return { find, findOfDay, ask };
}
