import { useEffect, useRef, useState } from "react";
import type { DrawnMap } from "#shared/map/drawn-map.ts";
import "#shared/map/city-map.css";
import type { Deeds, Drawing } from "#shared/map/map-parts.ts";
import { useTexts } from "#shared/map/texts.ts";

export type { MapSettings, Mark } from "#shared/map/map-parts.ts";

export interface CityMapProps extends Drawing, Deeds {
  readonly label: string;
  readonly still?: boolean | undefined;
}

export function CityMap(props: CityMapProps) {
  const t = useTexts();
  const { label, onPick } = props;
  const box = useRef<HTMLDivElement>(null);
  const state = useDrawnMap(box, props);
  return (
    <div className={onPick ? "city-map city-map-picks" : "city-map"}>
      <div
        ref={box}
        role={onPick ? "application" : "region"}
        aria-label={onPick ? `${label}: ${t.pickAbout}` : label}
        className="city-map-box"
      />
      {onPick && <span className="city-map-middle" aria-hidden />}
      {state === "waiting" && <p className="city-map-state">{t.waiting}</p>}
      {state === "failed" && (
        <div className="city-map-state" role="alert">
          <p>{t.failed}</p>
          {/* A browser caches a failed module import for the page's lifetime, so only a reload can retry. */}
          <button type="button" onClick={() => location.reload()}>
            {t.retry}
          </button>
        </div>
      )}
    </div>
  );
}

const prefersStill = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

function useDrawnMap(box: { readonly current: HTMLDivElement | null }, props: CityMapProps) {
  const t = useTexts();
  const [map, setMap] = useState<DrawnMap>();
  const [hasFailed, setFailed] = useState(false);
  const deeds = useRef<Deeds>(props);
  const { still = false } = props;
  const opens = props.onOpen !== undefined;
  const picks = props.onPick !== undefined;
  useEffect(() => {
    let [isLeft, opened]: [boolean, DrawnMap?] = [false];
    const open = async () => {
      const { openDrawnMap } = await import("#shared/map/drawn-map.ts");
      if (isLeft || !box.current) return;
      const words = { zoomIn: t.zoomIn, zoomOut: t.zoomOut, here: t.here };
      const options = { words, several: t.several, still: still || prefersStill(), opens, picks };
      opened = openDrawnMap(box.current, { ...options, deeds: () => deeds.current });
      setMap(opened);
    };
    open().catch(() => setFailed(true));
    return () => {
      isLeft = true;
      opened?.close();
      setMap(undefined);
    };
  }, [box, t, still, opens, picks]);
  useEffect(() => {
    deeds.current = props;
    map?.draw(props);
  });
  return map ? "open" : hasFailed ? "failed" : "waiting";
}
