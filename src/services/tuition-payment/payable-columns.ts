import { column, type RowOf } from "#platform/database/index.ts";
import type { PayItem } from "./items.ts";

/** By which payables are told apart: a student's, or of a new student the identity card's, and the year. */
export const keyColumns = {
  /** Of new students there is none yet; then there is an identity card. */
  studentNo: column<string | null>("student_no"),
  /** Where it is sealed, by what it is found. */
  idCard: column<string | null>("id_card"),
  idCardSealed: column<string | null>("id_card_sealed"),
  years: column<string>("years"),
};

/** What else is known of a payable, which an import that replaces it brings anew. */
export const detailColumns = {
  studentName: column<string>("student_name"),
  grade: column<string>("grade"),
  collegeName: column<string>("college_name"),
  majorName: column<string>("major_name"),
  className: column<string>("class_name"),
  amountFen: column<number>("amount_fen"),
  itemNames: column<readonly string[]>("item_names"),
  itemFen: column<readonly number[]>("item_fen"),
};

/** All that is given of a payable. */
export const payableColumns = { ...keyColumns, ...detailColumns };

/** What is read of it: the identity card stays where it is. */
export const shownColumns = { studentNo: keyColumns.studentNo, years: keyColumns.years, ...detailColumns };

type Given = RowOf<typeof payableColumns>;

/** What a student has to pay in one charging year. */
export type NewPayable = Omit<Given, "itemNames" | "itemFen" | "idCardSealed"> & {
  readonly items: readonly PayItem[];
};

/** The items as the table has them: two lists. */
export const splitItems = (items: readonly PayItem[]): Pick<Given, "itemNames" | "itemFen"> => ({
  itemNames: items.map(({ name }) => name),
  itemFen: items.map(({ amountFen }) => amountFen),
});
