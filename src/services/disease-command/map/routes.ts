import { readFile } from "node:fs/promises";
import { Problem } from "#platform/contract/problem.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { CityMap, mapEndpoints } from "./contract.ts";
import { convertMap, MapFault, readCityMap } from "./geojson.ts";
import { listMismatches, openKeptMap, replaceMap } from "./store.ts";

export function mapHandlers({ settings }: Platform): Handlers<typeof mapEndpoints> {
  const datum = settings.MAP_DATUM;
  const readKeptMap = openKeptMap(datum);
  return {
    readCityMap: ({ db }) => readKeptMap(db),
    saveCityMap: {
      withoutTransaction: async ({ file, fields, transact, audit }) => {
        const map = convertMap(readUploaded(await readFile(file.path)), fields.datum, datum);
        const names = map.features.map(({ properties }) => properties.name);
        audit.detail = { features: names.length, datum: fields.datum };
        return transact(async (tx) => {
          await replaceMap(tx, { geojson: JSON.stringify(map), datum, names });
          return String(names.length);
        });
      },
    },
    findMapMismatches: ({ db }) => listMismatches(db),
  };
}

function readUploaded(bytes: Buffer): CityMap {
  try {
    return readCityMap(bytes);
  } catch (error) {
    throw error instanceof MapFault ? new Problem("badFile", { detail: error.says }) : error;
  }
}
