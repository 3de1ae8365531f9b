import { type ReactNode, useState } from "react";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { useTexts } from "#public/blocks/texts.ts";
import { type Reading, useReading } from "#shared/call/use-reading.ts";
import type { Data, Operation } from "#shared/call/operation.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { ask } from "#public/tuition/student.ts";

interface OwnListProps<R> {
  readonly pages: OwnPages<R>;
  readonly empty: ReactNode;
  readonly children: (row: R) => ReactNode;
}

export function OwnList<R>({
  pages: { rows, failure, isReading, hasMore, more, retry },
  empty,
  children,
}: OwnListProps<R>) {
  const t = useTexts();
  return (
    <>
      {rows?.length === 0 && empty}
      {rows && rows.length > 0 && <ul className="stack">{rows.map(children)}</ul>}
      {failure ? <Failed failure={failure} retry={retry} /> : isReading && <Waiting />}
      {hasMore && !isReading && (
        <button type="button" className="button" onClick={more}>
          {t.more}
        </button>
      )}
    </>
  );
}

interface Page<R> {
  readonly list: readonly R[];
  readonly totalCount: number;
}

interface OwnPages<R> extends Omit<Reading<unknown>, "data"> {
  readonly rows: readonly R[] | undefined;
  readonly hasMore: boolean;
  readonly more: () => void;
}

type RowOf<E extends Endpoint> = Data<E> extends Page<infer R> ? R : never;

const pageSize = 20;
const mostRows = 1000;

/** "More" reads one larger page instead of the next one, so that all rows come from one response. */
export function useOwnPages<E extends Endpoint>(operation: Operation<E>): OwnPages<RowOf<E>> {
  const [most, setMost] = useState(pageSize);
  const { data, ...reading } = useReading(`${operation.name} ${most}`, (signal) =>
    ask(operation, { query: { curPage: 1, pageSize: most } } as never, { signal }),
  );
  const page = data as Page<RowOf<E>> | undefined;
  return {
    ...reading,
    rows: page?.list,
    hasMore: page !== undefined && page.totalCount > page.list.length && most < mostRows,
    more: () => setMost((before) => Math.min(mostRows, before + pageSize)),
  };
}
