import * as z from "zod";
import type { Db } from "#platform/database/index.ts";
import type { OldRecord, OldRow } from "#platform/process/old-row.ts";
import { findSettings } from "#services/attendance/analysis/settings-store.ts";
import { closeVersion, insertVersion } from "#services/attendance/answers/version-store.ts";
import { countDepartments } from "./month-store.ts";
import { summaryRow } from "./record-contract.ts";
import { sealResultCard } from "./stored-rows.ts";

const bySystem = "old system";
const noMonth = { zh: "应为 yyyy-MM 格式的月份", en: "must be a month in the format yyyy-MM" };
const ownMonth = { zh: "该月已在本系统导入", en: "the month has already been imported here from a workbook" };
const otherMonth = {
  zh: "此编号此前用于其他月份的记录，请改用编号不重复的旧库导入",
  en: "this id was previously used for a row of another month; import from a database with other ids",
};

const fields = Object.entries(summaryRow.shape);

function readMonth(old: OldRow): string {
  const [, year = "", number = ""] = /^\s*([1-9]\d{3})\D?(\d{1,2})(?!\d)/.exec(old.raw("month") ?? "") ?? [];
  const month = `${year}-${number.padStart(2, "0")}`;
  if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)) old.find("refused", "month", noMonth);
  return month;
}

const readData = (old: OldRow) =>
  Object.fromEntries(
    fields.map(([field, schema]) => [
      field,
      field === "idCard" ? "" : schema instanceof z.ZodNumber ? (old.integerOrNull(field) ?? 0) : old.text(field),
    ]),
  );

/**
 * Adds the months, and assigns numbers to the new rows. The dates of analysis are in the past, so that no notices are
 * sent.
 */
async function prepare(tx: Db): Promise<void> {
  await tx.script(`
    insert into attendance.month (month, statu, settings, imported_at, analysed_at)
    select month, 2, '${JSON.stringify(await findSettings(tx)).replaceAll("'", "''")}'::json,
      (month || '-01')::timestamptz, (month || '-01')::timestamptz
    from "old_monthlyRows" where fate = 'new' group by month on conflict do nothing`);
  await tx.script(`
    update "old_monthlyRows" as old set row = placed.row from (
      select line, (select coalesce(max(row), 0) from attendance.result as here where here.month = found.month)
        + row_number() over (partition by month order by line) as row
      from "old_monthlyRows" as found where fate = 'new') as placed
    where old.line = placed.line`);
}

/** Locks the imported months: they have no punches, so a new analysis would drop all results. */
async function settle(tx: Db): Promise<void> {
  await tx.script(`update attendance.month set employees = (select count(*) from attendance.result where result.month = month.month)
    where month in (select month from "old_monthlyRows" where fate = 'new')`);
  const changed = await tx.query<{ month: string; version: number | null; period: number }>(
    `select month, version_id as version, period_start as period from attendance.month
     left join attendance.version using (month)
     where month in (select month from "old_monthlyRows" where fate in ('new', 'changed'))
       and (version.id = version_id and locked_by = $1 or version.id is null)`,
    [bySystem],
  );
  const rests = { settings: await findSettings(tx), units: {}, extra: [], covered: [], warnings: [], corrections: [] };
  for (const { month, version, period } of changed) {
    await countDepartments(tx, month);
    if (version !== null) await closeVersion(tx, version, bySystem, bySystem);
    await insertVersion(tx, { ...rests, month, periodStart: period, note: bySystem, lockedBy: bySystem });
  }
}

const monthlyRows: OldRecord = {
  name: "monthlyRows",
  table: "attendance.result",
  columns: ["month", "row", "name", "user_id", "work_number", "group_name", "department"].concat(
    "data",
    "id_card",
    "warnings",
  ),
  once: ["month", "row"],
  hasOwnIds: true,
  barred: [
    {
      field: "month",
      reason: otherMonth,
      where: "exists (select from attendance.result as here where here.id = old.id and here.month <> old.month)",
    },
    {
      field: "month",
      reason: ownMonth,
      where: `fate = 'new' and (exists (select from attendance.span where span.month = old.month)
        or exists (select from attendance.result as here where here.month = old.month and here.id is null))`,
    },
  ],
  counted: { by: "month" },
  toRow: (old, keys) => ({
    month: readMonth(old),
    row: null,
    name: old.text("workName"),
    user_id: old.text("userId"),
    work_number: old.text("workNum"),
    group_name: old.text("groupOfCheck"),
    department: old.text("department"),
    data: JSON.stringify(readData(old)),
    id_card: sealResultCard(keys, old.text("idCard")),
    warnings: "[]",
  }),
  prepare,
  settle,
};

export const oldRecords: readonly OldRecord[] = [monthlyRows];
