import { type RefObject, type UIEvent, useEffect, useRef, useState } from "react";
import { usePrinting } from "#console/printing.ts";

// Rows are drawn in blocks, a block above and below what is seen, so that most of scrolling draws nothing anew.
const block = 16;
const drawn = 64;

interface RowsInSight<T> {
  /** Of what scrolls. */
  readonly place: RefObject<HTMLElement | null>;
  readonly onScroll: (event: UIEvent) => void;
  readonly shown: readonly T[];
  /** How many rows stand above and below those. */
  readonly above: number;
  readonly below: number;
}

/** Of thousands of rows of one height those that are in sight; all of them on paper. */
export function useRowsInSight<T>(rows: readonly T[], rowPx: number): RowsInSight<T> {
  const place = useRef<HTMLElement>(null);
  const isPrinting = usePrinting();
  const [firstBlock, setFirstBlock] = useState(0);
  // Other rows are seen from their first.
  // oxlint-disable react/exhaustive-effect-dependencies
  useEffect(() => {
    if (place.current) place.current.scrollTop = 0;
  }, [rows]);
  // oxlint-enable react/exhaustive-effect-dependencies
  const first = Math.max(0, Math.min(firstBlock * block, rows.length - drawn + block));
  const above = isPrinting ? 0 : Math.max(0, first - block);
  const shown = isPrinting ? rows : rows.slice(above, above + drawn + block);
  return {
    place,
    onScroll: ({ currentTarget }) => setFirstBlock(Math.floor(currentTarget.scrollTop / rowPx / block)),
    shown,
    above,
    below: rows.length - above - shown.length,
  };
}
