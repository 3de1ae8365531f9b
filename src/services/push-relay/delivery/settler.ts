import { setTimeout as delay } from "node:timers/promises";
import { toLoggable } from "#platform/contract/loggable.ts";
import { batch, isConnectionLoss } from "#platform/database/index.ts";
import type { RelayPlatform } from "#services/push-relay/settings.ts";
import { type NumberExchanges, openExchangeBook } from "./exchange-store.ts";
import { settle, type Settlement } from "./queue-store.ts";

type SettlerPlatform = Pick<RelayPlatform, "pool" | "log" | "clock">;

const mostRunsAtOnce = 500;
/** While so many come at once, more are awaited: a call costs the database as much as forty outcomes. */
const manyAtOnce = 16;
const gatherMs = 15;
const longestPauseMs = 2000;

interface State extends Omit<SettlerPlatform, "clock"> {
  readonly number: NumberExchanges;
  readonly onSettled: (settlements: readonly Settlement[]) => void;
  /** Aborted when what is not written down by now never will be. */
  readonly givenUp: AbortSignal;
}

export type Settler = ReturnType<typeof openSettler>;

/**
 * Writes outcomes down, many at once: while one batch is on its way to the disk, the next gathers.
 * @param onSettled is told of what was written down
 */
export function openSettler({ pool, log, clock }: SettlerPlatform, onSettled: State["onSettled"]) {
  const ending = new AbortController();
  const state: State = { pool, log, number: openExchangeBook(clock), onSettled, givenUp: ending.signal };
  let last: Promise<void> | undefined;
  const write = batch<readonly Settlement[], void>((runs) => writeDown(state, runs.flat()), {
    most: mostRunsAtOnce,
    awaitsRound: true,
    pauseMs: (runs) => (runs.flat().length >= manyAtOnce ? gatherMs : 0),
    retriesSingly: true,
  });
  return {
    /**
     * Takes what a run has come to, to be written down in one call: between two, others would claim what is delivered
     * already. One that cannot be written must not keep the others; its lease will end, and another try be made.
     */
    add: (together: readonly Settlement[]): void => {
      last = write(together).catch((error: unknown) => {
        log.error({ ...toLoggable(error) }, "the outcome of a push could not be written down");
      });
    },
    /** Resolves when all is written down, or `withinMs` are over. */
    finish: async (withinMs: number): Promise<void> => {
      await Promise.race([delay(withinMs, undefined, { ref: false }), last]);
      ending.abort();
    },
  };
}

/** Tries until the database takes it: what is not written down would be sent again. */
async function writeDown(state: State, all: readonly Settlement[]): Promise<[]> {
  const settlements = keepLatest(all);
  for (let pauseMs = 50; !state.givenUp.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      await settle(state.pool, settlements, await numberExchanges(state, settlements));
      state.onSettled(settlements);
      break;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await delay(pauseMs);
    }
  }
  return [];
}

/** What came back is of less weight than that it came: an outcome is written down without it, if need be. */
async function numberExchanges(
  { pool, log, number }: State,
  settlements: readonly Settlement[],
): Promise<(number | null)[]> {
  try {
    return await number(
      pool,
      settlements.map(({ exchange }) => exchange),
    );
  } catch (error) {
    if (isTemporary(error)) throw error;
    log.error({ ...toLoggable(error) }, "what receivers answered could not be written down");
    return [];
  }
}

/** Connection losses, and deadlocks: undone whole, to be tried again as it is. */
const isTemporary = (error: unknown): boolean =>
  isConnectionLoss(error) || (error as { code?: unknown } | null)?.code === "40P01";

/** After an outage longer than a lease, the outcomes of an old claim and of a new one may stand side by side. */
function keepLatest(batch: readonly Settlement[]): readonly Settlement[] {
  const latest = new Map<number, Settlement>();
  for (const settlement of batch) {
    const { deliveryId, claim } = settlement.claimed;
    if ((latest.get(deliveryId)?.claimed.claim ?? 0) < claim) latest.set(deliveryId, settlement);
  }
  return latest.size === batch.length ? batch : [...latest.values()];
}
