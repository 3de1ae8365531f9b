import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Pool } from "#platform/database/index.ts";
import type { Push } from "#test/relay/receiver.ts";
import type { Ledger } from "./load.ts";

// Holds what was acknowledged against what is there.

export interface Kept {
  /** Reports that were acknowledged and are not there, or are another's. */
  readonly lost: number;
  /** Reports that are there more than once. */
  readonly doubled: number;
}

export async function countReports(pool: Pool, { reports }: Ledger): Promise<Kept> {
  const [row] = await pool<Kept[]>`
    select (select count(*) from unnest(${[...reports.values()]}::bigint[], ${[...reports.keys()]}::text[]) as said (id, name)
        where not exists (select from reporting.report where report.id = said.id and report.name = said.name)) as lost,
      (select count(*) from (select from reporting.report group by name having count(*) > 1) as twice) as doubled`;
  return row ?? assert.fail();
}

/** What a receiver got of each subject. */
export interface EventBook {
  readonly arrive: (push: Push) => 200;
  readonly last: (subject: string) => number;
  readonly counts: () => { readonly outOfOrder: number; readonly repeated: number };
}

/** An event may come again, never before its time: the next of a subject is the one after the last. */
export function openEventBook(): EventBook {
  const last = new Map<string, number>();
  let [outOfOrder, repeated] = [0, 0];
  return {
    arrive(push) {
      const { card_number: subject, n } = push.json.data as { card_number: string; n: number };
      const before = last.get(subject) ?? 0;
      if (n <= before) repeated++;
      else {
        if (n !== before + 1) outOfOrder++;
        last.set(subject, n);
      }
      push.forget();
      return 200;
    },
    last: (subject) => last.get(subject) ?? 0,
    counts: () => ({ outOfOrder, repeated }),
  };
}

/** Waits until every event that was acknowledged by now has arrived; how many have not after `timeoutMs`. */
export async function awaitEvents(book: EventBook, { events }: Ledger, timeoutMs: number): Promise<number> {
  const wanted = [...events];
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    const missing = wanted.reduce((sum, [subject, n]) => sum + Math.max(0, n - book.last(subject)), 0);
    if (missing === 0 || performance.now() > endMs) return missing;
    await delay(50);
  }
}
