import { useEffect, useMemo } from "react";
import { type Reading, useReading } from "#shared/call/use-reading.ts";
import { isLinked, joinFacilities, type Toilet } from "#public/toilets/nearby.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { callWith } from "#shared/call/exchange.ts";
import type { Datum } from "#platform/contract/datum.ts";
import { place } from "#shared/place.ts";

export interface Toilets {
  readonly toilets: readonly Toilet[] | undefined;
  /** When the flags of the list were true, in epoch milliseconds. */
  readonly readAt: number | undefined;
  readonly list: Reading<unknown>;
  readonly facilities: Reading<unknown>;
  readonly retry: () => void;
}

/**
 * Reads the open toilets. The list is a third of what is known of them and all that changes by the minute: it comes first
 * and is read again while somebody looks, if any toilet is linked to real-time data. A stream of changes would be sooner,
 * and cost the server a connection for each phone.
 */
export function useToilets(): Toilets {
  const list = useReading("list", async (signal) => ({
    rows: await callWith(diseaseCommand.listMiniToilets, {}, { signal }),
    at: Date.now(),
  }));
  const facilities = useReading("facilities", async (signal) => {
    const rows = await callWith(diseaseCommand.listNearbyToilets, {}, { signal });
    return new Map(rows.map((row) => [row.id, row]));
  });
  const toilets = useMemo(
    () => list.data && joinFacilities(list.data.rows, facilities.data),
    [list.data, facilities.data],
  );
  const isLive = useMemo(() => toilets?.some(isLinked) === true, [toilets]);
  useRefreshing(isLive, list.retry);
  const retry = () => {
    for (const reading of [list, facilities]) if (reading.failure) reading.retry();
  };
  return { toilets, readAt: list.data?.at, list, facilities, retry };
}

const refreshMs = 60_000;
/** Places that were free so long ago say nothing. */
const freshMs = 5 * 60_000;

export const isFresh = (readAt: number | undefined): boolean => readAt !== undefined && Date.now() - readAt < freshMs;

/** Reads again each minute while the page is looked at, and at once when it is looked at again after more than that. */
function useRefreshing(isOn: boolean, refresh: () => void): void {
  useEffect(() => {
    if (!isOn) return undefined;
    let last = Date.now();
    const refreshWhenDue = () => {
      if (document.hidden || Date.now() - last < refreshMs) return;
      last = Date.now();
      refresh();
    };
    // A little later for each, so that those who opened it together do not go on asking together.
    const timer = setInterval(refreshWhenDue, refreshMs * (1 + Math.random() / 5));
    document.addEventListener("visibilitychange", refreshWhenDue);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", refreshWhenDue);
    };
  }, [isOn, refresh]);
}

/** What all coordinates that are stored are measured against, as the server told it with the page. */
export const storedDatum: Datum = (place.told as { readonly datum: Datum }).datum;
