/** Which columns of a sheet people do not see, as its `col` tags say. */
export interface HiddenColumns {
  note(tag: string): void;
  /** Columns count from 0. */
  readonly has: (column: number) => boolean;
}

const HIDDEN = /\shidden\s*=\s*["'](?:1|true)["']/;
const FIRST = /\smin\s*=\s*["'](\d{1,6})["']/;
const LAST = /\smax\s*=\s*["'](\d{1,6})["']/;

export function openHiddenColumns(maxColumns: number): HiddenColumns {
  const hidden = new Set<number>();
  let tags = 0;
  return {
    note(tag) {
      // There is one tag a column at most; what overlaps again and again is made to cost time.
      if (++tags > maxColumns || !HIDDEN.test(tag)) return;
      const [first, last] = [Number(FIRST.exec(tag)?.[1]), Number(LAST.exec(tag)?.[1])];
      for (let column = first; column <= Math.min(last, maxColumns); column++) hidden.add(column - 1);
    },
    has: (column) => hidden.has(column),
  };
}
