import { useMemo } from "react";
import { Link } from "react-router";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { useRead } from "#console/call/use-call.ts";
import { useCityOfConsole } from "#console/pages/disease-command/map/disease-map.tsx";
import { ListMap } from "#console/pages/disease-command/map/list-map.tsx";
import { texts } from "#console/pages/disease-command/map/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Mark } from "#shared/map/city-map.tsx";
import { findPlace } from "#shared/map/areas.ts";

const most = 1000;

/** The scenic spots that the city's map has, each where its name stands on it. */
export function useSpotMarks(): readonly Mark[] {
  const { data: city } = useCityOfConsole();
  const { data: spots } = useRead(diseaseCommand.listScenicSpots, { query: { pageSize: most } });
  return useMemo(
    () =>
      (spots?.list ?? []).flatMap(({ id, scenicSpotName }) => {
        const at = findPlace(city?.listed ?? [], scenicSpotName);
        return at ? [{ id, at, label: scenicSpotName, kind: "spot" as const, area: scenicSpotName }] : [];
      }),
    [city, spots],
  );
}

/** The map beside the list of scenic spots, and how many of them it lacks. */
export function SpotsMap() {
  const t = useTexts(texts);
  const { data: city } = useCityOfConsole();
  const marks = useSpotMarks();
  const { data: mismatches } = useRead(diseaseCommand.findMapMismatches, {});
  const missing = mismatches?.spots.length ?? 0;
  if (!city) return null;
  if (!city.areas)
    return (
      <div className="q-buttons q-disease-about-map">
        <span className="q-soft">{t.noMap}</span>
        <Link to="/disease-command/map">{t.toMap}</Link>
      </div>
    );
  return (
    <>
      <ListMap label={t.spots} marks={marks} />
      {missing > 0 && (
        <div className="q-buttons q-disease-about-map">
          <span className="q-soft">{t.missingSpots(missing)}</span>
          <Link to="/disease-command/map">{t.toMismatches}</Link>
        </div>
      )}
    </>
  );
}
