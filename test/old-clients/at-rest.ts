import type { Pool } from "#platform/database/index.ts";
import { sql } from "#platform/database/index.ts";
import type { TestApp } from "#test/app.ts";
import { makeMonth } from "#test/attendance/workbooks.ts";
import { openOrders } from "#test/orders.ts";
import { sampleReport } from "#test/sample-report.ts";

const idCard = "99000020080101077X";
const phone = "5550107777";

/**
 * A new student, who has only an identity card, gives feedback, orders and pays, and submits a report. Returns the
 * texts that the tables must not contain in plain text under a data key.
 */
export async function plantNewStudent(app: TestApp, token: string): Promise<string[]> {
  const { asCard, addPayer, create, settle } = openOrders(app, token);
  const { payableId } = await addPayer({ studentNo: null, idCard, grade: "2026" });
  await asCard("GET", "/payableinfo/payableInfo/1/x", idCard);
  await asCard("POST", "/feedbackmsg/save", idCard, {
    feedbackPersonName: "新生",
    feedbackPersonPhone: phone,
    feedbackInfo: "x",
  });
  await settle({ card: idCard, payableId }, { payables: [{ payableId, items: ["学费"] }], amount: 4800 });
  await create({ card: idCard, payableId }, { payables: [{ payableId, items: ["住宿费"] }], amount: 1200 });
  const body = sampleReport({ phone, wxPhone: phone });
  await app.call("POST", "/reporting/informationReporting/add", { body });
  await app.call("GET", "/reporting/informationReporting/download", { token, query: { keyword: phone } });
  const { identityLines } = makeMonth({ month: "2026-10", people: 1, seed: 1, generation: 2026 });
  // 5550100001 is the phone number in the report that the documented calls submit.
  return [idCard, phone, "5550100001", ...identityLines.map((line) => line.idCard)];
}

export async function findPlanted(pool: Pool, words: readonly string[]): Promise<string[]> {
  // The words are also searched for in hexadecimal, since PostgreSQL prints bytea values as hexadecimal digits.
  const spelled = words.flatMap((word) => [word, Buffer.from(word).toString("hex").toUpperCase()]);
  const tables = await pool<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`;
  const found = await Promise.all(
    tables.map(
      ({ name }) => pool<{ place: string }[]>`
      select distinct ${name} || '.' || key as place from (select to_jsonb(kept) as whole from ${sql.raw(name)} as kept) as rows,
        jsonb_each_text(whole)
      where exists (select from unnest(${spelled}::text[]) as word where strpos(upper(value), word) > 0) order by 1`,
    ),
  );
  return found.flat().map(({ place }) => place);
}
