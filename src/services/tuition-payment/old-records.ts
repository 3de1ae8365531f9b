import { oldAccounts } from "#platform/accounts/old-accounts.ts";
import { type Db, sql } from "#platform/database/index.ts";
import { type OldRecord, type OldRow, toFlag } from "#platform/process/old-row.ts";
import { parseItemsOf, parseYuan } from "./amounts.ts";
import { isAdjusted, settlePayables } from "./due-store.ts";
import { idCardPattern } from "./payable-contract.ts";
import { addGrades, payableColumns, splitItems, toStoredIdCard } from "./payable-store.ts";
import { toStoredCard, toStoredCardNumber, toStoredPhone } from "./sealed.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";

const noAmount = {
  zh: "应为大于零、最多两位小数的金额",
  en: "must be an amount above zero with at most two decimal places",
};

const noCard = {
  zh: "不是6到32位的证件号码，未导入",
  en: "is not an identity card number of 6 to 32 letters and digits; it is not imported",
};

function readFen(old: OldRow, field: string): number {
  const text = (old.raw(field) ?? "").trim().replace(/(\.\d{2})0+$/, "$1");
  const fen = parseYuan(text) ?? 0;
  if (fen === 0) old.find("refused", field, noAmount);
  return fen;
}

function readItems(old: OldRow, amountFen: number) {
  const items = parseItemsOf(old.text("payItemDetail").replace(/\\+$/, ""), amountFen);
  if (!("problem" in items)) return splitItems(items);
  if (!old.isRefused) old.find("refused", "payItemDetail", items);
  return { itemNames: [], itemFen: [] };
}

/** A new student may have an identity card instead of a student number. */
function readNames(old: OldRow, keys: Keyring) {
  const text = old.text("idCard").trim();
  const idCard = idCardPattern.test(text) ? toStoredIdCard(text) : null;
  if (text !== "" && idCard === null) old.find("changed", "idCard", noCard);
  const number = idCard === null ? old.name("studentNo") : old.indexed("studentNo").trim() || null;
  return { number, ...toStoredCard(keys, idCard) };
}

const bySystem = "old system";
const changed = "fate in ('new', 'changed')";
// SQL that is true if the payable has no unpaid or paid order here, and no adjustment other than a deferral. An import
// marks only such payables as paid.
const isFree = `not exists (select from tuition_payment.order_item as item
  where item.payable_id = payable.id and item.state in ('held', 'paid')) and not ${isAdjusted}`;
const takenItems = (what: string): string =>
  `array(select ${what} from unnest(payable.item_names, payable.item_fen) with ordinality as item (name, fen, place)
    where fen > 0 order by place)`;

/**
 * A payable that the old system reports as paid, and for which `isFree` is true, gets an adjustment of kind "decision".
 * The adjustment is revoked if the old system no longer reports the payable as paid.
 */
async function settle(tx: Db): Promise<void> {
  await addGrades(tx, await tx.values<string>`select distinct grade from old_payables where ${sql.raw(changed)}`);
  await tx.script(`
    update tuition_payment.adjustment set undone_at = now(), undone_by = '${bySystem}', undo_reason = '${bySystem}'
    from old_payables as old where old.id = payable_id and fate = 'changed' and not paid
      and evidence = '${bySystem}' and undone_at is null`);
  await tx.script(`
    insert into tuition_payment.adjustment (payable_id, kind, item_names, item_fen, evidence, made_by)
    select payable.id, 'decision', ${takenItems("name")}, ${takenItems("fen")}, '${bySystem}', '${bySystem}'
    from old_payables as old join tuition_payment.payable using (id) where paid and ${changed} and ${isFree}
    order by payable.id`);
  await settlePayables(tx, sql`payable.id in (select id from old_payables where ${sql.raw(changed)})`);
}

const payables: OldRecord = {
  name: "payables",
  table: "tuition_payment.payable",
  columns: Object.values<string>(payableColumns),
  staged: { paid: "boolean" },
  here: `(select array_agg(id order by id) from tuition_payment.adjustment where payable_id = here.id and undone_at is null),
    (select array_agg(id order by id) from tuition_payment.order_item where payable_id = here.id and state in ('held', 'paid'))`,
  unique: [
    { of: ["student_no", "years"], otherwise: "refuse" },
    { of: ["case when student_no is null then id_card end", "years"], otherwise: "refuse" },
  ],
  barred: [
    {
      where: `student_no is null and (id_card, years) in (
        select id_card, years from old_payables where student_no is not null
        union all select id_card, years from tuition_payment.payable where student_no is not null)`,
      field: "id_card",
      reason: {
        zh: "该身份证号在该收费年度已有带学号的缴费信息",
        en: "there is a payable with a student number for this identity card and charging year",
      },
    },
  ],
  counted: { by: "grade || ' ' || years", sum: "amount_fen" },
  toRow: (old, keys) => {
    const names = readNames(old, keys);
    const amountFen = readFen(old, "realPayAmount");
    const { itemNames, itemFen } = readItems(old, amountFen);
    return {
      student_no: names.number,
      id_card: names.idCard,
      id_card_sealed: names.idCardSealed,
      years: old.name("years"),
      student_name: old.text("studentName"),
      grade: old.name("grade"),
      college_name: old.text("collegeName"),
      major_name: old.text("majorName"),
      class_name: old.text("className"),
      amount_fen: amountFen,
      item_names: itemNames,
      item_fen: itemFen,
      due_date: null,
      paid: toFlag(old.choice("pay", ["0", "1"], "0") === "1"),
    };
  },
  settle,
};

const payLimits: OldRecord = {
  name: "payLimits",
  table: "tuition_payment.pay_limit",
  columns: ["grade", "grade_name", "enabled"],
  unique: [{ of: ["grade"], otherwise: "merge" }],
  toRow: (old) => ({
    grade: old.name("grade"),
    grade_name: old.text("gradeName"),
    enabled: toFlag(old.choice("enablePay", ["1", "2"], "1") === "1"),
  }),
};

const feedback: OldRecord = {
  name: "feedback",
  table: "tuition_payment.feedback",
  columns: [
    "card_number",
    "card_number_sealed",
    "name",
    "phone",
    "phone_sealed",
    "phone_found",
    "info",
    "created_at",
    "processed_at",
  ],
  counted: { by: "to_char(created_at, 'YYYY-MM')" },
  toRow: (old, keys) => {
    const card = toStoredCardNumber(keys, old.name("feedbackPersonIdentify"));
    const phone = toStoredPhone(keys, old.text("feedbackPersonPhone"));
    const created = old.time("publishTime");
    const isProcessed = old.choice("statu", ["1", "2"], "1") === "2";
    return {
      card_number: card.cardNumber,
      card_number_sealed: card.cardNumberSealed,
      name: old.text("feedbackPersonName"),
      phone: phone.phone,
      phone_sealed: phone.phoneSealed,
      phone_found: phone.phoneFound,
      info: old.text("feedbackInfo"),
      created_at: created,
      processed_at: isProcessed ? (old.timeOrNull("handleTime") ?? created) : null,
    };
  },
};

export const oldRecords: readonly OldRecord[] = [
  payLimits,
  payables,
  feedback,
  oldAccounts("tuition-payment", ["0", "1"]),
];
