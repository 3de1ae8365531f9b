import type { Db } from "#platform/database/index.ts";

/** Whether a grade may pay. */
export interface PayLimitRow {
  readonly id: number;
  readonly grade: string;
  readonly gradeName: string;
  readonly enabled: boolean;
}

export async function listPayLimits(db: Db): Promise<PayLimitRow[]> {
  return db<PayLimitRow[]>`
    select id, grade, grade_name as "gradeName", enabled from tuition_payment.pay_limit order by grade, id`;
}

/** False: there is no such row. */
export async function setPayLimit(tx: Db, id: number, enabled: boolean): Promise<boolean> {
  const rows = await tx`update tuition_payment.pay_limit set enabled = ${enabled} where id = ${id} returning 1`;
  return rows.length === 1;
}

/** Gives each grade that has no row one, enabled. Rows are taken in one order, so that two who add cannot wait for each other. */
export async function addGrades(tx: Db, grades: readonly { grade: string; gradeName: string }[]): Promise<void> {
  const sorted = grades.toSorted((a, b) => (a.grade < b.grade ? -1 : 1));
  await tx`
    insert into tuition_payment.pay_limit (grade, grade_name)
    select * from unnest(${sorted.map(({ grade }) => grade)}::text[], ${sorted.map(({ gradeName }) => gradeName)}::text[])
    on conflict (grade) do nothing`;
}
