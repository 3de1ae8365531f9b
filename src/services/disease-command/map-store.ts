import type { Datum } from "#platform/contract/datum.ts";
import type { KeptDocument } from "#platform/contract/endpoint.ts";
import type { Db } from "#platform/database/index.ts";
import { convertMap } from "./geojson.ts";
import { found } from "./records.ts";
import type { CityMap } from "./screen-contract.ts";

/** Puts a map in the place of the last. @param names those of its features, in their order */
export async function replaceMap(tx: Db, geojson: string, datum: Datum, names: readonly string[]): Promise<void> {
  await tx`
    insert into disease_command.city_map (geojson, datum, names) values (${geojson}, ${datum}, ${names})
    on conflict (only_row) do update set geojson = excluded.geojson, datum = excluded.datum, names = excluded.names,
      version = excluded.version`;
}

/** Names that stand on one side only: of spots the newest first, of features in the order of the map. */
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
 * A reader of the map: a process reads its megabytes once and asks from then on for the version alone, however many
 * phones open it. @throws {Problem} notFound when there is none.
 */
export function openKeptMap(datum: Datum): (db: Db) => Promise<KeptDocument> {
  let kept: { readonly version: string; readonly document: Promise<KeptDocument> } | undefined;
  return async (db) => {
    const [row] = await db<{ version: string }[]>`select version from disease_command.city_map`;
    const { version } = found(row);
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

/** As it was saved, unless MAP_DATUM has been set otherwise since. */
async function readDocument(db: Db, wanted: Datum): Promise<KeptDocument> {
  const [row] = await db<{ geojson: string; datum: Datum }[]>`select geojson, datum from disease_command.city_map`;
  const { geojson, datum } = found(row);
  if (datum === wanted) return { text: geojson };
  return { text: JSON.stringify(convertMap(JSON.parse(geojson) as CityMap, datum, wanted)) };
}
