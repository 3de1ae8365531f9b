import type { Datum } from "#platform/contract/datum.ts";
import type { KeptDocument } from "#platform/contract/endpoint.ts";
import { found } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { convertMap } from "./geojson.ts";
import type { CityMap } from "./screen-contract.ts";

export async function replaceMap(tx: Db, geojson: string, datum: Datum, names: readonly string[]): Promise<void> {
  await tx`
    insert into disease_command.city_map (geojson, datum, names) values (${geojson}, ${datum}, ${names})
    on conflict (only_row) do update set geojson = excluded.geojson, datum = excluded.datum, names = excluded.names,
      version = excluded.version`;
}

/**
 * Lists the names of scenic spots without a feature of the same name, newest first, and of features without a scenic
 * spot, in the order of the map file.
 */
export async function listMismatches(db: Db) {
  const [row] = await db<{ spots: string[]; features: string[] }[]>`
    with feature as (
      select name, place from disease_command.city_map, unnest(names) with ordinality as named (name, place)
    )
    select
      array(select name from disease_command.scenic_spot as spot
        where not exists (select from feature where feature.name = spot.name) order by id desc) as spots,
      array(select name from feature
        where not exists (select from disease_command.scenic_spot as spot where spot.name = feature.name)
        order by place) as features`;
  return row ?? { spots: [], features: [] };
}

/**
 * Returns a reader that keeps the map in memory, since the map has megabytes. The reader queries the map's version, and
 * reads the map again only if the version has changed. If there is no map, the reader throws notFound.
 */
export function openKeptMap(datum: Datum): (db: Db) => Promise<KeptDocument> {
  let kept: { readonly version: string; readonly document: Promise<KeptDocument> } | undefined;
  return async (db) => {
    const [row] = await db<{ version: string }[]>`select version from disease_command.city_map`;
    const { version } = found(row);
    if (kept?.version !== version) {
      const reading = { version, document: readDocument(db, datum) };
      kept = reading;
      reading.document.catch(() => {
        if (kept === reading) kept = undefined;
      });
    }
    return kept.document;
  };
}

/** Reads the map, and converts it if MAP_DATUM has changed since the map was saved. */
async function readDocument(db: Db, wanted: Datum): Promise<KeptDocument> {
  const [row] = await db<{ geojson: string; datum: Datum }[]>`select geojson, datum from disease_command.city_map`;
  const { geojson, datum } = found(row);
  if (datum === wanted) return { text: geojson };
  return { text: JSON.stringify(convertMap(JSON.parse(geojson) as CityMap, datum, wanted)) };
}
