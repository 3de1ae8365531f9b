import type { ReactNode } from "react";
import type { Operation } from "#shared/call/operation.ts";
import type { Audited } from "#console/blocks/record-history.tsx";
import type { Identified, RecordField } from "#console/pages/disease-command/records/record-field.tsx";
import type { Question } from "#console/blocks/form-drawer.tsx";
import { useMay } from "#console/session/session.ts";

export interface RecordOperations {
  readonly list: Operation;
  /**
   * Reads a whole record for the detail drawer; records without this operation have no drawer. The operation's only
   * parameter is the id.
   */
  readonly find?: Operation;
  readonly save?: Operation;
  readonly update?: Operation;
  readonly remove?: Operation;
}

export interface Records<R extends Identified> {
  readonly one: string;
  readonly what: string;
  readonly operations: RecordOperations;
  readonly fields: readonly RecordField<R>[];
  readonly nameOf: (record: R) => string;
  readonly toBody?: (given: Partial<R>) => object;
  readonly toRemoval?: (id: number) => object;
  readonly readBack?: (given: Partial<R>) => Promise<Question | undefined>;
  readonly removeAbout?: string;
  readonly formWidth?: number;
  readonly rowActions?: (record: R) => ReactNode;
  readonly detail?: (record: R) => ReactNode;
}

export const toAudited = <R extends Identified>({ what }: Records<R>, { id }: R): Audited => ({
  service: "disease-command",
  record: id,
  what,
});

export function useAllowed({ find, save, update, remove }: RecordOperations): Omit<RecordOperations, "list"> {
  const may = useMay();
  const offered = Object.entries({ find, save, update, remove }).filter(([, operation]) => operation && may(operation));
  return Object.fromEntries(offered);
}

export interface Removal<R> {
  readonly operation: Operation;
  readonly one: string;
  readonly nameOf: (record: R) => string;
  readonly about?: string;
  readonly toGiven?: (id: number) => object;
}

export const toRemoval = <R extends Identified>(
  { one, nameOf, removeAbout, toRemoval: toGiven }: Records<R>,
  operation: Operation | undefined,
): Removal<R> | undefined =>
  operation && {
    operation,
    one,
    nameOf,
    ...(removeAbout !== undefined && { about: removeAbout }),
    ...(toGiven && { toGiven }),
  };
