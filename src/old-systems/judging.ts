import type { Db } from "#platform/database/index.ts";
import type { OldKey, OldRule } from "#platform/process/old-row.ts";
import type { Staged } from "./staging.ts";
import { rawTable, says, type Source, stagedTable, type Tell } from "./source.ts";

// Each staged row gets a `fate`: "new"; "same" (unchanged since its import); "changed" (only in the old system); "kept"
// (changed here, whether or not in the old system); "lost" (deleted here); or "merged" (into a row that exists here).

/**
 * SQL for a digest of the row's stored values except those of the `once` columns, which only the first import sets. The
 * digest shows whether the row was changed here.
 */
export const hereOf = ({ record }: Source): string => {
  const columns = record.columns.filter((column) => record.once?.includes(column) !== true);
  const values = [...columns.map((column) => `here.${column}`), ...(record.here === undefined ? [] : [record.here])];
  return `md5(row(${values.join(", ")})::text)::uuid`;
};

type Judged = Pick<Staged, "refused" | "isUnchanged">;

const longestId = Number.MAX_SAFE_INTEGER;
const isBrought = "fate in ('new', 'changed')";

export async function judge(
  tx: Db,
  source: Source,
  { refused, isUnchanged, gap, tell }: Judged & { readonly gap: number; readonly tell: Tell },
): Promise<void> {
  await createStaged(tx, source);
  const table = stagedTable(source);
  const find = async (rule: OldRule, field: string, reason: ReturnType<typeof says>, statement: string) => {
    for (const { key, value } of await tx.query<{ key: string; value: string | null }>(statement, []))
      tell(source, key, { rule, field, value: value ?? "", reason });
  };
  const answer = "old_id::text as key, old_id::text as value";
  await find(
    "refused",
    "id",
    says("旧库中前面的一行编号相同", "an earlier row of the old database has the same id"),
    `delete from ${table} where turn > 1 returning ${answer}`,
  );
  await tellGone(tx, source, { refused, isUnchanged }, tell);
  await compareHere(source, find);
  for (const [column, other] of Object.entries(source.record.refersTo ?? {})) {
    const record = `${source.service}.${other.record}`;
    await find(
      "refused",
      column,
      says("所引用的记录不存在", "the row refers to a record that does not exist"),
      `delete from ${table} as old where ${isBrought} and not exists (
        select from platform.old_row as known join ${other.table} as there using (id)
        where known.record = '${record}' and known.old_id = old.${column})
      returning old_id::text as key, ${column}::text as value`,
    );
    await tx.script(`update ${table} set ${column} = known.id from platform.old_row as known
      where known.record = '${record}' and known.old_id = ${column} and known.id <> ${column}`);
  }
  for (const { where, field, reason } of source.record.barred ?? [])
    await find(
      "refused",
      field,
      reason,
      `delete from ${table} as old where ${isBrought} and ${where} returning old_id::text as key, ${field}::text as value`,
    );
  for (const key of source.record.unique ?? []) await settleKey(source, key, find);
  await giveIds(source, gap, find);
}

type Find = (rule: OldRule, field: string, reason: ReturnType<typeof says>, statement: string) => Promise<void>;

async function createStaged(tx: Db, source: Source): Promise<void> {
  const table = stagedTable(source);
  await tx.script(`create temporary table ${table} on commit drop as
    select raw.*, coalesce(known.id, raw.old_id) as id, known.here as known_here,
      case when known.id is null then 'new' when known.digest = raw.digest then 'same' else 'changed' end as fate,
      row_number() over (partition by raw.old_id order by raw.line) as turn
    from ${rawTable(source)} as raw
    left join platform.old_row as known on known.record = '${source.name}' and known.old_id = raw.old_id`);
  await tx.script(`create index on ${table} (id)`);
  await tx.script(`analyze ${table}`);
}

async function tellGone(tx: Db, source: Source, { refused, isUnchanged }: Judged, tell: Tell): Promise<void> {
  const gone = await tx.query<{ key: string }>(
    `select old_id::text as key from platform.old_row as known
     where record = $1 and not ${isUnchanged}
       and not exists (select from ${rawTable(source)} as there where there.old_id = known.old_id)`,
    [source.name],
  );
  const reason = says(
    "旧系统中已删除，本系统中仍保留",
    "the record was deleted in the old system, but still exists here",
  );
  for (const { key } of gone)
    if (!refused.has(key)) tell(source, key, { rule: "decide", field: "id", value: key, reason });
}

async function compareHere(source: Source, find: Find): Promise<void> {
  const { table } = source.record;
  const staged = stagedTable(source);
  const mark = (fate: string, where: string): string =>
    `with found as (
       update ${staged} as old set fate = '${fate}' where fate <> 'new' and ${where}
       returning old_id, id, (select fate from ${staged} as before where before.id = old.id and before.line = old.line) as was)
     select old_id::text as key, id::text as value from found where was = 'changed'`;
  await find(
    "decide",
    "id",
    says("旧系统中已修改，本系统中已删除", "the record was changed in the old system, but deleted here"),
    mark("lost", `not exists (select from ${table} as here where here.id = old.id)`),
  );
  await find(
    "decide",
    "id",
    says("新旧系统中均已修改，保留本系统的内容", "the record was changed in both systems; its content here is kept"),
    mark(
      "kept",
      `fate <> 'lost' and exists (
        select from ${table} as here where here.id = old.id and ${hereOf(source)} <> old.known_here)`,
    ),
  );
}

async function giveIds(source: Source, gap: number, find: Find): Promise<void> {
  const { table, hasOwnIds } = source.record;
  const staged = stagedTable(source);
  // A join is used, since an EXISTS inside an OR would scan the whole table for each row if the ids have no index.
  const [taken, isOther] = hasOwnIds
    ? [`left join ${table} as here on here.id = old.id`, `old.id > ${longestId} or here.id is not null`]
    : ["", `old.id > ${longestId}`];
  await find(
    "changed",
    "id",
    says("编号已被占用或过大，改用新编号", "the id is in use or too large; a new id is assigned"),
    `with highest as (select greatest((select max(id) from ${table}),
        (select max(id) from ${staged} where id <= ${longestId}), 0) + ${gap} as id),
      others as (select line, row_number() over (order by line) as place from ${staged} as old ${taken}
        where fate = 'new' and (${isOther}))
     update ${staged} as old set id = highest.id + place from others, highest where old.line = others.line
     returning old_id::text as key, old.id::text as value`,
  );
  if (hasOwnIds) return;
  await find(
    "refused",
    "id",
    says("此编号已用于本系统中的其他记录", "another record here already has this id"),
    `delete from ${staged} as old where fate = 'new' and exists (select from ${table} as here where here.id = old.id)
     returning old_id::text as key, id::text as value`,
  );
}

/** Handles duplicates: rows with the same key as an earlier row of the old database, or as a row that exists here. */
async function settleKey(source: Source, { of, otherwise, taken }: OldKey, find: Find): Promise<void> {
  const staged = stagedTable(source);
  const names = of.map((_, at) => `k${at}`).join(", ");
  const values = of.map((sql, at) => `${sql} as k${at}`).join(", ");
  const known = of.map((sql) => `${sql} is not null`).join(" and ");
  const field = of.join(", ");
  const shown = `concat_ws(' ', ${of.map((sql) => `(${sql})::text`).join(", ")})`;
  const repeated = `select line from (
      select line, fate, row_number() over (partition by ${of.join(", ")} order by fate = 'new', line) as place
      from ${staged} where ${known}) as ranked
    where place > 1 and ${isBrought}`;
  const there = `select line, there.id as other from (
      select line, id, fate, ${values} from ${staged} where ${isBrought} and ${known}) as ours
    join (select id, ${values} from ${source.record.table}${taken ? ` union all (${taken})` : ""}) as there using (${names})
    where there.id <> ours.id or ours.fate = 'new'`;
  const answer = `returning old_id::text as key, ${shown} as value`;
  if (typeof otherwise === "object") {
    const { set, reason } = otherwise;
    const where = `line in (${repeated}) or line in (select line from (${there}) as met)`;
    return find(
      "decide",
      field,
      reason,
      `with old as (select line, ${shown} as value from ${staged}), found as (
      update ${staged} set ${set} where ${where} returning line, old_id)
      select old_id::text as key, value from found join old using (line)`,
    );
  }
  const same = says("与旧库中前面的一行重复", "the row duplicates an earlier row of the old database");
  await find("refused", field, same, `delete from ${staged} where line in (${repeated}) ${answer}`);
  if (otherwise === "merge")
    return find(
      "merged",
      field,
      says("本系统中已存在，采用旧系统的值", "the record already exists here and gets the values of the old system"),
      `update ${staged} as old set id = other, fate = 'merged' from (${there}) as met where old.line = met.line ${answer}`,
    );
  return find(
    "refused",
    field,
    says("本系统中已存在重复的记录", "the row duplicates a record that already exists here"),
    `delete from ${staged} where line in (select line from (${there}) as met) ${answer}`,
  );
}

export async function store(tx: Db, source: Source): Promise<void> {
  const { table, columns, once = [], prepare, settle } = source.record;
  const staged = stagedTable(source);
  const names = columns.join(", ");
  const changing = columns.filter((column) => !once.includes(column));
  await prepare?.(tx);
  await tx.script(`update ${table} as here set ${changing.map((column) => `${column} = old.${column}`).join(", ")}
    from ${staged} as old where here.id = old.id and fate in ('changed', 'merged')`);
  await tx.script(`insert into ${table} (id, ${names}) overriding system value
    select id, ${names} from ${staged} where fate = 'new' order by id`);
  await settle?.(tx);
  await tx.script(`insert into platform.old_row as known (record, old_id, id, digest, here)
    select '${source.name}', old_id, here.id, digest, ${hereOf(source)}
    from ${staged} as old join ${table} as here using (id) where fate in ('new', 'changed', 'merged')
    on conflict (record, old_id) do update set digest = excluded.digest, here = excluded.here`);
}

export async function moveIds(tx: Db, source: Source, gap: number): Promise<void> {
  await tx.query(
    `select platform.move_ids($1, (select max(id) + $2::bigint from platform.old_row where record = $3))`,
    [source.record.table, gap, source.name],
  );
}
