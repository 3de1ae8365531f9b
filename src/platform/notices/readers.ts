import type { Places } from "#platform/contract/scope.ts";
import { type Fragment, sql } from "#platform/database/index.ts";
import type { Reachable } from "#platform/process/notice.ts";

/** The accounts as a table `reader (id, scope)` of a statement. */
export const asReaders = (readers: readonly Reachable[]): Fragment => sql`
  unnest(${readers.map(({ accountId }) => accountId)}::bigint[],
    ${readers.map(({ scope }) => JSON.stringify(scope))}::text[]::jsonb[]) as reader (id, scope)`;

/** Whether the scope of the `reader` has the record. */
export const readerSees = (places: Places): Fragment =>
  sql.join(
    Object.entries(places).map(
      ([dimension, place]) =>
        sql`(reader.scope -> ${dimension} is null or reader.scope -> ${dimension} ? ${sql.raw(place)})`,
    ),
    " and ",
  );
