import type { Db } from "#platform/database/index.ts";

export interface OpenDifferences {
  readonly gateway: string;
  readonly rows: number;
  /** The first of their days, as yyyy-MM-dd. */
  readonly firstDay: string;
}

/** What the statements and the orders differ in, and nobody has decided about yet. */
export const listOpenDifferences = async (db: Db): Promise<OpenDifferences[]> =>
  db<OpenDifferences[]>`
    select gateway, count(*) as rows, to_char(min(day), 'YYYY-MM-DD') as "firstDay"
    from tuition_payment.difference where handled_at is null group by gateway order by gateway`;
