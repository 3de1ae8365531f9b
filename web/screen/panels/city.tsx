import { useMemo, useState } from "react";
import { Nothing, Panel } from "#screen/blocks/panel.tsx";
import { Rotation } from "#screen/blocks/rotation.tsx";
import { type Spot, SpotCard } from "#screen/cards/spot-card.tsx";
import type { Overview } from "#screen/feed/use-feed.ts";
import { formatCount } from "#screen/format.ts";
import { texts } from "#screen/texts.ts";
import { useTexts } from "#shared/language/language.ts";

interface CityProps {
  readonly spots: Overview["scenicSpotOverview"];
  readonly toilets: Overview["toilet"];
}

/** The city's map with its scenic spots, each of which opens its card, and its open toilets. */
export function City({ spots, toilets }: CityProps) {
  const t = useTexts(texts);
  const [opened, open] = useState<number>();
  const data = useMemo(() => [spots, toilets], [spots, toilets]);
  const spot = spots.find(({ id }) => id === opened);
  const about = `${t.city.spots(formatCount(spots.length))} · ${t.city.toilets(formatCount(toilets.length))}`;
  return (
    <Panel area="city" title={t.city.title} data={data} about={about}>
      {spots.length + toilets.length === 0 && <Nothing>{t.city.none}</Nothing>}
      <Unplaced spots={spots} onOpen={open} />
      {spot && <SpotCard key={spot.id} spot={spot} onClose={() => open(undefined)} />}
    </Panel>
  );
}

const perRow = 4;

/** The spots that the map does not have, to open as well. */
function Unplaced({ spots, onOpen }: { readonly spots: readonly Spot[]; readonly onOpen: (id: number) => void }) {
  const t = useTexts(texts);
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
