import type { Overview } from "#screen/feed/use-feed.ts";
import { type Areas, findPlace, listAreas } from "#shared/map/areas.ts";
import type { Mark } from "#shared/map/city-map.tsx";
import { parsePosition } from "#shared/map/coordinates.ts";

type Spots = Overview["scenicSpotOverview"];

/** What stands on the map, and the spots for which it has no place: a spot is found there by its very name. */
export function toMarks(spots: Spots, toilets: Overview["toilet"], areas: Areas | undefined) {
  const known = listAreas(areas);
  const unplaced: Spots = [];
  const marks: Mark[] = [];
  for (const spot of spots) {
    const at = findPlace(known, spot.scenicSpotName);
    if (!at) unplaced.push(spot);
    else {
      const label = spot.scenicSpotName;
      marks.push({ id: spot.id, at, label, kind: "spot", area: label });
    }
  }
  const dots = toilets.flatMap(({ longitudeAndLatitude }) => {
    const at = parsePosition(longitudeAndLatitude);
    return at ? [at] : [];
  });
  return { marks, dots, unplaced };
}
