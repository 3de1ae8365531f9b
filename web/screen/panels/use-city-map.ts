import { useReading } from "#shared/call/use-reading.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { platform } from "#shared/api/platform.ts";
import { callWith } from "#shared/call/call.ts";
import { toCallAddress } from "#shared/call/exchange.ts";
import type { Areas } from "#shared/map/areas.ts";
import type { MapSettings } from "#shared/map/city-map.tsx";

interface CityMapData {
  readonly areas: Areas | undefined;
  readonly settings: MapSettings | undefined;
}

/** The city's map and how maps are set, read anew with each turn. What cannot be read stays what it was. */
export function useCityMap(turn: number): CityMapData {
  const { data: areas } = useReading(String(turn), readAreas);
  const { data: settings } = useReading(String(turn), (signal) => callWith(platform.readMapSettings, {}, { signal }));
  return { areas, settings };
}

let known: { readonly tag: string | null; readonly areas: Areas } | undefined;

/**
 * Not a call like others: whoever is told of a new map asks for it past the minute for which browsers may keep the old
 * one, and does not parse megabytes that it has.
 */
async function readAreas(signal: AbortSignal): Promise<Areas | undefined> {
  const answer = await fetch(toCallAddress(diseaseCommand.readCityMap), { cache: "no-cache", signal });
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(`the map cannot be read: ${answer.status}`);
  const tag = answer.headers.get("etag");
  if (known && tag !== null && tag === known.tag) await answer.body?.cancel();
  else known = { tag, areas: (await answer.json()) as Areas };
  return known.areas;
}
