import { type ReactNode, useEffect, useRef, useState } from "react";
import { readRem, useSize } from "#screen/blocks/use-size.ts";
import { isStill } from "#screen/motion.ts";
import { useTexts } from "#screen/texts.ts";

// A viewer must have time to read a page.
const pageMs = 10_000;

interface RotationProps<R> {
  readonly label: string;
  readonly rows: readonly R[];
  readonly rowRem: number;
  readonly keyOf: (row: R) => string | number;
  readonly render: (row: R) => ReactNode;
}

export function Rotation<R>({ label, rows, rowRem, keyOf, render }: RotationProps<R>) {
  const box = useRef<HTMLDivElement>(null);
  const { height } = useSize(box);
  const perPage = Math.max(1, Math.floor(height / (rowRem * readRem()) + 0.01));
  const pages = Math.max(1, Math.ceil(rows.length / perPage));
  const [page, turn] = usePages(pages);
  const shown = height === 0 ? [] : rows.slice(page * perPage, (page + 1) * perPage);
  return (
    <div ref={box} className="s-rotation">
      <ul key={page} aria-label={label} className={pages > 1 && !isStill ? "s-turning" : undefined}>
        {shown.map((row) => (
          <li key={keyOf(row)} style={{ height: `${rowRem}rem` }}>
            {render(row)}
          </li>
        ))}
      </ul>
      {pages > 1 && <Pager page={page} pages={pages} onTurn={turn} />}
    </div>
  );
}

function usePages(pages: number): [page: number, turn: () => void] {
  const [page, setPage] = useState(0);
  useEffect(() => {
    if (pages < 2 || isStill) return undefined;
    const timer = setTimeout(() => setPage(page + 1), pageMs);
    return () => clearTimeout(timer);
  }, [pages, page]);
  return [page % pages, () => setPage(page + 1)];
}

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly onTurn: () => void;
}

function Pager({ page, pages, onTurn }: PagerProps) {
  const t = useTexts();
  return (
    <button type="button" className="s-pager" aria-label={t.nextPage(page + 1, pages)} onClick={onTurn}>
      {page + 1} / {pages}
    </button>
  );
}
