import type { PayableFilter } from "./payable-store.ts";

interface FilterQuery {
  readonly keyword?: string | undefined;
  readonly grade?: string | undefined;
  readonly years?: string | undefined;
  readonly pay?: boolean | undefined;
}

/** What the list and the export are asked for. */
export const toFilter = ({ keyword, grade, years, pay }: FilterQuery): PayableFilter => ({
  keyword,
  grade,
  years,
  isPaid: pay,
});
