import { useEffect, useMemo, useRef, useState } from "react";
import { Panel } from "#screen/blocks/panel.tsx";
import { Rotation } from "#screen/blocks/rotation.tsx";
import { type Spot, SpotCard } from "#screen/cards/spot-card.tsx";
import type { Overview } from "#screen/feed/use-feed.ts";
import { formatCount } from "#screen/format.ts";
import { isStill } from "#screen/motion.ts";
import { useTexts } from "#screen/texts.ts";
import { CityMap, type MapSettings, type Mark } from "#shared/map/city-map.tsx";
import { type Reading, useReading } from "#shared/call/use-reading.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { platform } from "#shared/api/platform.ts";
import { callWith, toCallAddress } from "#shared/call/exchange.ts";
import { type Areas, findPlace, listAreas } from "#shared/map/areas.ts";
import { parsePosition } from "#shared/map/coordinates.ts";

interface CityProps {
  readonly spots: Overview["scenicSpotOverview"];
  readonly toilets: Overview["toilet"];
  readonly mapTurn: number;
}

export function City({ spots, toilets, mapTurn }: CityProps) {
  const t = useTexts();
  const { areas, settings } = useCityMap(mapTurn);
  const [opened, open] = useState<number>();
  const { marks, dots, unplaced } = useMemo(() => toMarks(spots, toilets, areas), [spots, toilets, areas]);
  const spot = spots.find(({ id }) => id === opened);
  const [map, view] = useLeftAlone();
  const data = useMemo(() => [spots, toilets], [spots, toilets]);
  const about = `${t.city.spots(formatCount(spots.length))} · ${t.city.toilets(formatCount(toilets.length))}`;
  return (
    <Panel area="city" title={t.city.title} data={data} about={about}>
      <div ref={map} className="s-map">
        <CityMap
          key={view}
          label={t.city.title}
          areas={areas}
          settings={settings}
          marks={marks}
          dots={dots}
          still={isStill}
          onOpen={(id) => open(Number(id))}
        />
      </div>
      <Unplaced spots={unplaced} onOpen={open} />
      {spot && <SpotCard key={spot.id} spot={spot} onClose={() => open(undefined)} />}
    </Panel>
  );
}

const leftAloneMs = 120_000;

/** After somebody has touched the map, it shows the whole city again once it has been untouched for two minutes. */
function useLeftAlone() {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState(0);
  useEffect(() => {
    const map = box.current;
    let timer: ReturnType<typeof setTimeout>;
    const touched = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setView((before) => before + 1), leftAloneMs);
    };
    const kinds = ["pointerdown", "wheel", "keydown"] as const;
    for (const kind of kinds) map?.addEventListener(kind, touched, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const kind of kinds) map?.removeEventListener(kind, touched);
    };
  }, []);
  return [box, view] as const;
}

const perRow = 4;

function Unplaced({ spots, onOpen }: { readonly spots: readonly Spot[]; readonly onOpen: (id: number) => void }) {
  const t = useTexts();
  if (spots.length === 0) return null;
  const rows = Array.from({ length: Math.ceil(spots.length / perRow) }, (_, n) =>
    spots.slice(n * perRow, (n + 1) * perRow),
  );
  return (
    <div className="s-unplaced">
      <Rotation
        label={t.city.unplaced}
        rows={rows}
        rowRem={5.6}
        keyOf={([first]) => first?.id ?? 0}
        render={(row) => (
          <div className="s-unplaced-row">
            {row.map(({ id, scenicSpotName }) => (
              <button key={id} type="button" className="s-button" onClick={() => onOpen(id)}>
                <span>{scenicSpotName}</span>
              </button>
            ))}
          </div>
        )}
      />
    </div>
  );
}

interface CityMapData {
  readonly areas: Areas | undefined;
  readonly settings: MapSettings | undefined;
}

function useCityMap(turn: number): CityMapData {
  const areas = useReading(String(turn), readAreas);
  const settings = useReading(String(turn), (signal) => callWith(platform.readMapSettings, {}, { signal }));
  useRetries(areas);
  useRetries(settings);
  return { areas: areas.data, settings: settings.data };
}

const retryMs = 10_000;

/** The next change of the map, which would cause another read, may be months away. */
function useRetries({ failure, retry }: Reading<unknown>): void {
  useEffect(() => {
    if (!failure) return undefined;
    const timer = setTimeout(retry, retryMs);
    return () => clearTimeout(timer);
  }, [failure, retry]);
}

let known: { readonly tag: string | null; readonly areas: Areas } | undefined;

/**
 * Browsers may cache the map for a minute, so this request revalidates the cached map. An unchanged map, which may have
 * several megabytes, is not parsed again.
 */
async function readAreas(signal: AbortSignal): Promise<Areas | undefined> {
  const answer = await fetch(toCallAddress(diseaseCommand.readCityMap), { cache: "no-cache", signal });
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(`the map could not be loaded: status ${answer.status}`);
  const tag = answer.headers.get("etag");
  if (known && tag !== null && tag === known.tag) await answer.body?.cancel();
  else known = { tag, areas: (await answer.json()) as Areas };
  return known.areas;
}

type Spots = Overview["scenicSpotOverview"];

/** A spot is found on the map by its exact name; spots that are not found are listed separately. */
function toMarks(spots: Spots, toilets: Overview["toilet"], areas: Areas | undefined) {
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
