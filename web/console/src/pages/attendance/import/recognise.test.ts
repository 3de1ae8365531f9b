import assert from "node:assert/strict";
import { test } from "node:test";
import { recognise } from "#console/pages/attendance/import/recognise.ts";

const text = "月度汇总 统计日期：2026-05-01 至 2026-05-31\r\n姓名;UserId;出勤天数;休息天数;1;2\r\n";
const inUtf16 = (isBigEndian: boolean): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return isBigEndian ? bytes.swap16() : bytes;
};

test("text is recognised in every encoding that the server reads, whatever separates it and whatever it is called", async () => {
  for (const [name, content] of [
    ["x.csv", Buffer.from(text)],
    ["x.txt", inUtf16(false)],
    ["x.tsv", inUtf16(true)],
    ["x.csv", Buffer.from(text.replaceAll(";", "\t"))],
  ] as const) {
    const found = await recognise(new File([new Uint8Array(content)], name));
    assert.deepEqual(
      found,
      {
        sheets: ["month"],
        month: "2026-05",
        months: [],
        days: { from: "2026-05-01", to: "2026-05-31" },
      },
      name,
    );
  }
});
