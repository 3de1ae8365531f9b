import { useEffect, useMemo } from "react";
import { type Reading, useReading } from "#shared/call/use-reading.ts";
import { isLinked, joinFacilities, type Toilet } from "#public/toilets/nearby.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { callWith } from "#shared/call/exchange.ts";
import type { Datum } from "#platform/contract/datum.ts";
import { place } from "#shared/place.ts";

export interface Toilets {
  readonly toilets: readonly Toilet[] | undefined;
  readonly readAt: number | undefined;
  readonly list: Reading<unknown>;
  readonly facilities: Reading<unknown>;
  readonly retry: () => void;
}

/**
 * The list is a third of the data, and only the list changes by the minute. It is therefore shown without waiting for
 * the facilities, and polled if a toilet has a real-time link. An event stream would cost the server one connection for
 * each phone.
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
const freshMs = 5 * 60_000;

export const isFresh = (readAt: number | undefined): boolean => readAt !== undefined && Date.now() - readAt < freshMs;

function useRefreshing(isOn: boolean, refresh: () => void): void {
  useEffect(() => {
    if (!isOn) return undefined;
    let last = Date.now();
    const refreshWhenDue = () => {
      if (document.hidden || Date.now() - last < refreshMs) return;
      last = Date.now();
      refresh();
    };
    // Random jitter spreads the polls of pages that were opened together.
    const timer = setInterval(refreshWhenDue, refreshMs * (1 + Math.random() / 5));
    document.addEventListener("visibilitychange", refreshWhenDue);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", refreshWhenDue);
    };
  }, [isOn, refresh]);
}

export const storedDatum: Datum = (place.told as { readonly datum: Datum }).datum;
