import { setTimeout as delay } from "node:timers/promises";
import { toLoggable } from "#platform/contract/loggable.ts";
import { batch, isConnectionLoss } from "#platform/database/index.ts";
import type { RelayPlatform } from "#services/push-relay/settings.ts";
import { type NumberExchanges, openExchangeBook } from "./exchange-store.ts";
import { settle, type Settlement } from "./queue-store.ts";

type SettlerPlatform = Pick<RelayPlatform, "pool" | "log" | "clock">;

const mostRunsAtOnce = 500;
/** A batch that has this many outcomes waits for more, since a call costs the database as much as forty outcomes. */
const manyAtOnce = 16;
const gatherMs = 15;
const longestPauseMs = 2000;

interface State extends Omit<SettlerPlatform, "clock"> {
  readonly number: NumberExchanges;
  readonly onSettled: (settlements: readonly Settlement[]) => void;
  readonly givenUp: AbortSignal;
}

export type Settler = ReturnType<typeof openSettler>;

/**
 * Stores outcomes in batches: while one batch is written, the next is collected.
 * @param onSettled receives the written outcomes
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
     * Writes the outcomes of a run in one call, since other processes could otherwise claim the rest of the run in
     * between. If writing fails, the lease expires and the push is repeated.
     */
    add: (together: readonly Settlement[]): void => {
      last = write(together).catch((error: unknown) => {
        log.error({ ...toLoggable(error) }, "the outcome of a push could not be stored");
      });
    },
    /** Resolves when everything is written, and after `withinMs` at the latest. */
    finish: async (withinMs: number): Promise<void> => {
      await Promise.race([delay(withinMs, undefined, { ref: false }), last]);
      ending.abort();
    },
  };
}

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
    log.error({ ...toLoggable(error) }, "responses of receivers could not be stored");
    return [];
  }
}

/** After a lost connection or a deadlock, the whole transaction can be retried. */
const isTemporary = (error: unknown): boolean =>
  isConnectionLoss(error) || (error as { code?: unknown } | null)?.code === "40P01";

/**
 * Keeps the outcome of the newest claim: after an outage longer than a lease, a batch may have outcomes of an old and a
 * new claim of a delivery.
 */
function keepLatest(batch: readonly Settlement[]): readonly Settlement[] {
  const latest = new Map<number, Settlement>();
  for (const settlement of batch) {
    const { deliveryId, claim } = settlement.claimed;
    if ((latest.get(deliveryId)?.claimed.claim ?? 0) < claim) latest.set(deliveryId, settlement);
  }
  return latest.size === batch.length ? batch : [...latest.values()];
}
