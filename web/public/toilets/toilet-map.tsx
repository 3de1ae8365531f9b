import { type ReactNode, useMemo } from "react";
import type { Position } from "#platform/contract/datum.ts";
import { Failed } from "#public/blocks/states.tsx";
import type { Found } from "#public/toilets/nearby.ts";
import { texts } from "#public/toilets/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import { CityMap, type Mark } from "#shared/map/city-map.tsx";
import { useCity } from "#shared/map/use-city.ts";

export interface ToiletMapProps {
  readonly found: readonly Found[];
  readonly here: Position | undefined;
  readonly chosen: number | undefined;
  readonly onOpen: (id: number) => void;
}

/** The toilets that the list shows, on the map of the city. */
export function ToiletMap({ found, here, chosen, onOpen }: ToiletMapProps): ReactNode {
  const t = useTexts(texts);
  const { city, failure, readAgain } = useCity();
  const marks = useMemo(
    () => found.map(({ toilet: { id, at, name } }): Mark => ({ id, at, label: name, kind: "toilet" })),
    [found],
  );
  return (
    <>
      <div className="toilets-map">
        <CityMap
          label={t.map}
          areas={city?.areas}
          settings={city?.settings}
          marks={marks}
          here={here}
          chosen={chosen}
          onOpen={(id) => onOpen(Number(id))}
        />
      </div>
      {failure !== undefined && !city && <Failed failure={new Error(t.noMap)} retry={readAgain} />}
    </>
  );
}
