import type { ReactNode } from "react";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { texts } from "#public/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import type { OwnPages } from "./use-own-pages.ts";

interface OwnListProps<R> {
  readonly pages: OwnPages<R>;
  /** What stands there while there is nothing. */
  readonly empty: ReactNode;
  readonly children: (row: R) => ReactNode;
}

/** The rows of a list of one's own, and what is to be done for more of them. */
export function OwnList<R>({
  pages: { rows, failure, isReading, hasMore, more, retry },
  empty,
  children,
}: OwnListProps<R>) {
  const t = useTexts(texts);
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
