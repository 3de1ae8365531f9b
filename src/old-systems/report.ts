import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { OldRule } from "#platform/process/old-row.ts";
import { writeWorkbook } from "#platform/workbooks/index.ts";
import type { Finding, Tell } from "./source.ts";

const mostTold = 500_000;
const columns = [
  ["记录 record", 30],
  ["旧表 table", 20],
  ["旧编号 key", 14],
  ["字段 field", 20],
  ["旧值 value", 40],
  ["结果 rule", 10],
  ["原因", 40],
  ["reason", 60],
] as const;

export function openReport() {
  const findings: Finding[] = [];
  const counts: Record<OldRule, number> = { refused: 0, decide: 0, changed: 0, merged: 0 };
  const tell: Tell = ({ name, mapped }, key, finding) => {
    counts[finding.rule]++;
    if (findings.length < mostTold) findings.push({ ...finding, record: name, table: mapped.table, key });
  };
  return {
    tell,
    async write(file: string) {
      const rows = findings.map(({ record, table, key, field, value, rule, reason }) => [
        record,
        table,
        key,
        field,
        value,
        rule,
        reason.zh,
        reason.en,
      ]);
      const plan = {
        sheetName: "import",
        columns: columns.map(([header, width]) => ({ header, width, type: "text" as const })),
        rows: [rows],
      };
      await pipeline(writeWorkbook(plan), createWriteStream(file, { mode: 0o600 }));
      return { counts, open: counts.refused + counts.decide };
    },
  };
}
