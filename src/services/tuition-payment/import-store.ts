import { isUniform } from "#platform/data-keys/keys.ts";
import { compileValues, type CopyValue, type Db, sql, type Within, writeNames } from "#platform/database/index.ts";
import { type Keyring, bindingOf } from "#platform/sealing/keyring.ts";
import type { ReadRows } from "#platform/workbooks/import.ts";
import { isAdjusted } from "./due-store.ts";
import { detailColumns, type NewPayable, payableColumns, splitItems } from "./payable-store.ts";
import { places } from "./scope-contract.ts";
import { openCard, sealedIdCard, type StoredIdCard, toStoredCard } from "./sealed.ts";

const copied = writeNames(payableColumns);
const toValues = compileValues(payableColumns);

export const toStoredValues = (keys: Keyring, payable: NewPayable): readonly CopyValue[] =>
  toValues<CopyValue>({ ...payable, ...toStoredCard(keys, payable.idCard), ...splitItems(payable.items) });

export const stagePayables = (tx: Db, rows: ReadRows): Promise<void> =>
  rows.stage(tx, "tuition_payment.payable", copied);

const importLock = "hashtextextended('import of payables', 0)";

/** The advisory lock runs imports one after the other, so that what an import has read is still true when it writes. */
export async function lockImports(tx: Db): Promise<void> {
  await tx.script(`select pg_advisory_xact_lock(${importLock})`);
}

/** Keeps imports from running while a single payable is written, since its identity card must stay unique. */
export async function holdOffImports(tx: Db): Promise<void> {
  await tx.script(`select pg_advisory_xact_lock_shared(${importLock})`);
}

const alignedAtOnce = 5000;

/**
 * Existing payables with a staged identity card may store it sealed with another key or unsealed, so they are rewritten
 * to match the staged form.
 */
export async function alignCards(tx: Db): Promise<void> {
  if (await isUniform(tx, sealedIdCard)) return;
  await tx.script("create index on staged (id_card) where id_card is not null");
  for (let after = ""; ;) {
    const cards = await tx<StoredIdCard[]>`
      select distinct on (id_card) id_card as "idCard", id_card_sealed as "idCardSealed"
      from staged where id_card > ${after} order by id_card limit ${alignedAtOnce}`;
    const last = cards.at(-1)?.idCard;
    if (last === undefined || last === null) return;
    await alignWith(tx, cards);
    after = last;
  }
}

async function alignWith(tx: Db, cards: readonly StoredIdCard[]): Promise<void> {
  const others = cards.flatMap((card) => {
    const text = openCard(tx.keys, card) ?? "";
    const spellings = tx.keys.lookupTerms(bindingOf(sealedIdCard), text).filter((spelling) => spelling !== card.idCard);
    return spellings.map((spelling) => ({ ...card, spelling }));
  });
  await tx`
    update tuition_payment.payable set id_card = new.found, id_card_sealed = new.sealed
    from unnest(${others.map(({ spelling }) => spelling)}::text[], ${others.map(({ idCard }) => idCard)}::text[],
      ${others.map(({ idCardSealed }) => idCardSealed)}::text[]) as new (spelling, found, sealed)
    where payable.id_card = new.spelling`;
}

/** A row, and what it has in common with a payable or with another row. */
interface MatchedRow {
  readonly row: number;
  readonly by: "studentNo" | "idCard";
}

export interface RepeatedRow extends MatchedRow {
  readonly first: number;
}

export const listRepeated = async (tx: Db, most: number): Promise<RepeatedRow[]> =>
  tx<RepeatedRow[]>`
    select row, first, by from (
      select row, min(row) over (partition by student_no, years) as first, 'studentNo' as by
      from staged where student_no is not null
      union all
      select row, case when student_no is null then min(row) over card else min(row) filter (where student_no is null) over card end, 'idCard'
      from staged where id_card is not null window card as (partition by id_card, years)
    ) as rows where row > first order by row limit ${most}`;

/**
 * Matches staged rows with payables of the same charging year by student number or, if the row or the payable has none,
 * by identity card. The matched payables stay locked until the transaction ends.
 */
export async function matchStaged(tx: Db): Promise<void> {
  await tx.script(`
    create temporary table staged_match on commit drop as
    select row, payable.id from staged join tuition_payment.payable using (student_no, years)
    union
    select row, payable.id from staged as new join tuition_payment.payable using (id_card, years)
    where new.student_no is null or payable.student_no is null`);
  await tx.script(`
    select count(*) from (
      select 1 from tuition_payment.payable where id in (select id from staged_match) order by id for update
    ) as held`);
}

export const findOutside = async (tx: Db, within: Within): Promise<number | undefined> =>
  tx.value<number | undefined>`
    select row from staged as payable where not ${within.holds(places)}
    union select row from staged_match join tuition_payment.payable using (id) where not ${within.holds(places)}
    order by row limit 1`;

const matchedBy = sql`case when new.student_no = payable.student_no then 'studentNo' else 'idCard' end`;

export const listKnown = async (tx: Db, most: number): Promise<MatchedRow[]> =>
  tx<MatchedRow[]>`
    select row, max(${matchedBy}) as by
    from staged as new join staged_match using (row) join tuition_payment.payable using (id)
    group by row order by row limit ${most}`;

export const listAmbiguous = async (tx: Db, most: number): Promise<number[]> =>
  tx.values<number>`
    select distinct row from (
      select row, count(*) over (partition by row) as payables, min(row) over (partition by id) as first from staged_match
    ) as matches where payables > 1 or row > first order by row limit ${most}`;

const details = Object.values(detailColumns);
const detailsOf = (table: "payable" | "new"): string => details.map((name) => `${table}.${name}`).join(", ");

const differs = `
  (${detailsOf("payable")}, payable.id_card, payable.due_date) is distinct from
  (${detailsOf("new")}, coalesce(new.id_card, payable.id_card), coalesce(new.due_date, payable.due_date))`;

/**
 * Lists staged rows that would change a payable that is paid, adjusted or in an order. Adding a student number alone
 * does not count as a change.
 */
export const listPaidAndDifferent = async (tx: Db, most: number): Promise<MatchedRow[]> =>
  tx<MatchedRow[]>`
    select new.row, ${matchedBy} as by from staged as new join staged_match using (row) join tuition_payment.payable using (id)
    where ${sql.raw(differs)} and (paid_by is not null or ${sql.raw(isAdjusted)} or exists (
      select from tuition_payment.order_item as item where item.payable_id = payable.id and item.state in ('held', 'paid')))
    order by new.row limit ${most}`;

export async function storeStaged(tx: Db, replace: boolean): Promise<void> {
  if (replace)
    await tx.script(`
      update tuition_payment.payable set student_no = coalesce(new.student_no, payable.student_no),
        id_card = coalesce(new.id_card, payable.id_card),
        id_card_sealed = case when new.id_card is null then payable.id_card_sealed else new.id_card_sealed end, updated_at = now(),
        due_date = coalesce(new.due_date, payable.due_date), ${details.map((name) => `${name} = new.${name}`).join(", ")}
      from staged as new join staged_match using (row)
      where payable.id = staged_match.id
        and (payable.student_no is distinct from coalesce(new.student_no, payable.student_no) or ${differs})`);
  // A matched payable may have been deleted before it was locked, so its row is inserted like a row without a match.
  await tx.script(`
    insert into tuition_payment.payable (${copied}) select ${copied} from staged as new
    where not exists (
      select from staged_match join tuition_payment.payable using (id) where staged_match.row = new.row
    ) order by row`);
}
