import type { Places } from "#platform/contract/scope.ts";
import { type Fragment, sql, streamRows } from "#platform/database/index.ts";
import type { Notice, NoticeFields, Reachable, NoticeContext } from "#platform/process/notice.ts";

const asReaders = (readers: readonly Reachable[]): Fragment => sql`
  unnest(${readers.map(({ accountId }) => accountId)}::bigint[],
    ${readers.map(({ scope }) => JSON.stringify(scope))}::text[]::jsonb[]) as reader (id, scope)`;

export const isInReaderScope = (places: Places): Fragment =>
  sql.join(
    Object.entries(places).map(
      ([dimension, place]) =>
        sql`(reader.scope -> ${dimension} is null or reader.scope -> ${dimension} ? ${sql.raw(place)})`,
    ),
    " and ",
  );

const batchRows = 1000;

type Row = { readonly accountId: number; readonly key: string } & NoticeFields;

export async function* findReaderNotices(
  {
    platform: { pool },
    administrators,
  }: Pick<NoticeContext, "administrators"> & { platform: Pick<NoticeContext["platform"], "pool"> },
  right: string,
  toStatement: (readers: Fragment) => Fragment,
): AsyncGenerator<Notice[]> {
  const readers = administrators.filter(({ may }) => may(right));
  for await (const rows of streamRows<Row>(pool, toStatement(asReaders(readers)), batchRows))
    yield rows.flatMap(({ accountId, key, ...fields }) => {
      const reader = readers.find((one) => one.accountId === accountId);
      return reader ? [{ key, person: `account ${accountId}`, to: reader.to, fields }] : [];
    });
}
