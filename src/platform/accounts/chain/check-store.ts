import type { Db } from "#platform/database/index.ts";

/** Lines of the audit log beside those of its chain. */
export interface Counts {
  readonly all: number;
  /** Not sealed yet. */
  readonly young: number;
  /** From before the chain, and not taken in yet. */
  readonly unadopted: number;
  /** Until which id lines were from before the chain. */
  readonly adoptedTo: number;
  /** Ids that wait to be sealed, whose lines are gone. */
  readonly lost: number[];
}

export async function countLines(db: Db): Promise<Counts> {
  const [counts] = await db<[Counts]>`
    select (select count(*) from platform.audit) as all,
      (select count(*) from platform.audit_young join platform.audit using (id)) as young,
      (select count(*) from platform.audit where id > adopted and id <= up_to) as unadopted, up_to as "adoptedTo",
      array(select id from platform.audit_young as young
        where not exists (select from platform.audit where id = young.id) order by id limit 100) as lost
    from platform.audit_adoption`;
  return counts;
}

/** Lines that nothing tells of: neither chain nor queue. */
export async function listStrangers(db: Db, limit: number): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    select id from platform.audit
    where not exists (
        select from (select unnest(ids) as id from platform.audit_chain) as chained where chained.id = audit.id)
      and not exists (select from platform.audit_young as young where young.id = audit.id)
      and not exists (select from platform.audit_adoption where audit.id > adopted and audit.id <= up_to)
    order by id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** What the last look at the whole chain has found, for health. */
export interface LastCheck {
  readonly checkedAt: Date;
  readonly lines: number;
  readonly faults: number;
  readonly firstFault: string | null;
}

export const keepCheck = (
  db: Db,
  { lines, faults, firstFault, at }: Omit<LastCheck, "checkedAt"> & { readonly at: Date },
): Promise<number> => db.count`
  insert into platform.audit_check (checked_at, lines, faults, first_fault) values (${at}, ${lines}, ${faults}, ${firstFault})
  on conflict (only_row) do update set checked_at = excluded.checked_at, lines = excluded.lines, faults = excluded.faults,
    first_fault = excluded.first_fault`;

export interface ChainFigures {
  readonly lines: number;
  readonly young: number;
  readonly oldestYoungSeconds: number;
  readonly unadopted: boolean;
  readonly checkedAt: Date | null;
  readonly faults: number | null;
}

/** Cheap: nothing of it grows with the log. */
export async function readChainFigures(db: Db): Promise<ChainFigures> {
  const [figures] = await db<[ChainFigures]>`
    select coalesce((select first + lines - 1 from platform.audit_chain order by first desc limit 1), 0) as lines,
      (select count(*) from platform.audit_young) as young,
      coalesce((select extract(epoch from clock_timestamp() - min(since))::int from platform.audit_young), 0)
        as "oldestYoungSeconds",
      adopted < up_to as unadopted, checked_at as "checkedAt", faults
    from platform.audit_adoption left join platform.audit_check on true`;
  return figures;
}
