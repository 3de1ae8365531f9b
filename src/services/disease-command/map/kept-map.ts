import type { Datum } from "#platform/contract/datum.ts";
import type { KeptDocument } from "#platform/contract/endpoint.ts";
import type { Db } from "#platform/database/index.ts";
import { found } from "#services/disease-command/records.ts";
import type { CityMap } from "./contract.ts";
import { convertMap } from "./geojson.ts";
import { findMap, findMapVersion, type MapText } from "./store.ts";

/**
 * A reader of the map: a process reads its megabytes once and asks from then on for the version alone, however many
 * phones open it. @throws {Problem} notFound when there is none.
 */
export function openKeptMap(datum: Datum): (db: Db) => Promise<KeptDocument> {
  let kept: { readonly version: string; readonly document: Promise<KeptDocument> } | undefined;
  return async (db) => {
    const version = found(await findMapVersion(db));
    if (kept?.version !== version) {
      const reading = { version, document: readDocument(db, datum) };
      kept = reading;
      // Whoever comes next tries again.
      reading.document.catch(() => {
        if (kept === reading) kept = undefined;
      });
    }
    return kept.document;
  };
}

const readDocument = async (db: Db, datum: Datum): Promise<KeptDocument> => ({
  text: toDatum(found(await findMap(db)), datum),
});

/** As it was saved, unless MAP_DATUM has been set otherwise since. */
const toDatum = ({ geojson, datum }: MapText, wanted: Datum): string =>
  datum === wanted ? geojson : JSON.stringify(convertMap(JSON.parse(geojson) as CityMap, datum, wanted));
