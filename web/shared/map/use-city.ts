import { useCallback, useEffect, useState } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { platform } from "#shared/api/platform.ts";
import { call } from "#shared/call/exchange.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { type Area, type Areas, listAreas } from "#shared/map/areas.ts";

export interface City {
  readonly areas: Areas | undefined;
  readonly listed: readonly Area[];
  readonly settings: DataOf<typeof platform.readMapSettings>;
}

const notFound = "10005";

export async function readCity(): Promise<City> {
  const [areas, settings] = await Promise.all([readAreas(), call(platform.readMapSettings)]);
  return { areas, settings, listed: listAreas(areas) };
}

async function readAreas(): Promise<Areas | undefined> {
  try {
    return await call(diseaseCommand.readCityMap);
  } catch (error) {
    if (error instanceof CallFailure && error.code === notFound) return undefined;
    throw error;
  }
}

export interface CityReading {
  readonly city: City | undefined;
  readonly failure: unknown;
  readonly readAgain: () => void;
}

export function useCity(): CityReading {
  const [{ city, failure }, set] = useState<{ city?: City; failure?: unknown }>({});
  const readAgain = useCallback(() => {
    readCity().then(
      (read) => set({ city: read }),
      (error: unknown) => set((before) => ({ ...before, failure: error })),
    );
  }, []);
  useEffect(readAgain, [readAgain]);
  return { city, failure, readAgain };
}
