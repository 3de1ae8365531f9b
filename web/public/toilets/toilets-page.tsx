import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { convertPosition, type Position } from "#platform/contract/datum.ts";
import { Shell } from "#public/blocks/shell.tsx";
import { Empty, Failed, Waiting } from "#public/blocks/states.tsx";
import { findNearby, type Found, isLinked, type Toilet, type Wanted } from "#public/toilets/nearby.ts";
import { usePosition, type Whereabouts } from "#public/toilets/position.ts";
import { storedDatum, type Toilets, useToilets } from "#public/toilets/use-toilets.ts";
import { useTexts } from "#public/toilets/texts.ts";
import { showRow, ToiletList } from "#public/toilets/toilet-list.tsx";
import { useLanguage } from "#shared/language/language.ts";
import { chooseApp, type NavigationApp, navigationApps } from "#public/toilets/navigation.ts";
import { useRemembered } from "#shared/remembered.ts";
import { CityMap, type Mark } from "#shared/map/city-map.tsx";
import { useCity } from "#shared/map/use-city.ts";
import "#public/toilets/toilets.css";

export function ToiletsPage(): ReactNode {
  const t = useTexts();
  const reading = useToilets();
  const { toilets, list, facilities, retry } = reading;
  const [whereabouts, locate] = usePosition();
  return (
    <Shell title={t.title}>
      <PositionBar whereabouts={whereabouts} locate={locate} />
      {!toilets && list.isReading && <Waiting />}
      {!toilets && list.failure && <Failed failure={list.failure} retry={retry} />}
      {facilities.failure && !list.failure && <Failed failure={new Error(t.noFacilities)} retry={retry} />}
      {toilets?.length === 0 && <Empty>{t.empty}</Empty>}
      {toilets && toilets.length > 0 && <Nearby reading={reading} toilets={toilets} whereabouts={whereabouts} />}
    </Shell>
  );
}

interface NearbyProps {
  readonly reading: Toilets;
  readonly toilets: readonly Toilet[];
  readonly whereabouts: Whereabouts;
}

const step = 50;

function Nearby({ reading, toilets, whereabouts }: NearbyProps): ReactNode {
  const t = useTexts();
  const choices = useChoices();
  // Saved filters are ignored while the facilities are unknown, since no toilet would match.
  const mayFilter = reading.facilities.data !== undefined;
  const wanted = mayFilter ? choices.wanted : nothing;
  const here = useHere(whereabouts);
  const found = useMemo(() => findNearby(toilets, wanted, here), [toilets, wanted, here]);
  const [count, setCount] = useState(step);
  const shown = useMemo(() => found.slice(0, count), [found, count]);
  const [chosen, choose] = useState<number>();
  const map = useRef<HTMLDivElement>(null);
  const showOnMap = (id: number) => {
    choose(id);
    map.current?.scrollIntoView({ block: "nearest" });
  };
  const showInList = (id: number) => {
    choose(id);
    showRow(id);
  };
  const order = whereabouts.state === "known" ? t.nearestFirst(whereabouts.accuracyMetres) : t.ownOrder;
  return (
    <>
      <Filters choices={choices} mayFilter={mayFilter} />
      <div ref={map}>
        <ToiletMap found={shown} here={here} chosen={chosen} onOpen={showInList} />
      </div>
      <div className="toilets-above">
        <div>
          <p role="status">
            {t.count(found.length)} · {order}
          </p>
          {toilets.some(isLinked) && <ReadAt readAt={reading.readAt} />}
        </div>
        <AppChoice choices={choices} />
      </div>
      {found.length === 0 && (
        <Empty>
          <p>{t.noneFits}</p>
          <button className="button" type="button" onClick={choices.clear}>
            {t.showAll}
          </button>
        </Empty>
      )}
      <ToiletList found={shown} app={choices.app} chosen={chosen} readAt={reading.readAt} onMap={showOnMap} />
      {found.length > count && <More onMore={() => setCount(count + step)} />}
    </>
  );
}

function ReadAt({ readAt }: { readonly readAt: number | undefined }): ReactNode {
  const t = useTexts();
  const [language] = useLanguage();
  if (readAt === undefined) return null;
  const time = new Date(readAt).toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return <p className="soft">{t.readAt(time)}</p>;
}

function useHere(whereabouts: Whereabouts): Position | undefined {
  return useMemo(
    () => (whereabouts.state === "known" ? convertPosition(whereabouts.at, "wgs84", storedDatum) : undefined),
    [whereabouts],
  );
}

function More({ onMore }: { readonly onMore: () => void }): ReactNode {
  const t = useTexts();
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const near = new IntersectionObserver(([entry]) => entry?.isIntersecting && onMore(), { rootMargin: "400px" });
    if (button.current) near.observe(button.current);
    return () => near.disconnect();
  });
  return (
    <button className="button" type="button" ref={button} onClick={onMore}>
      {t.more}
    </button>
  );
}

interface PositionBarProps {
  readonly whereabouts: Whereabouts;
  readonly locate: () => void;
}

function PositionBar({ whereabouts, locate }: PositionBarProps): ReactNode {
  const t = useTexts();
  const { state } = whereabouts;
  const isKnown = state === "known";
  return (
    <div className="toilets-position">
      <p role="status" className={isKnown ? undefined : "note"} data-tone={toTone(state)}>
        {state === "asking" && t.asking}
        {state !== "asking" && !isKnown && t.position[state]}
      </p>
      <button
        className="button"
        type="button"
        data-kind={isKnown ? undefined : "main"}
        disabled={state === "asking"}
        onClick={locate}
      >
        {isKnown ? t.locateAgain : t.locate}
      </button>
    </div>
  );
}

const toTone = (state: Whereabouts["state"]): "warn" | undefined =>
  state === "known" || state === "asking" || state === "unasked" ? undefined : "warn";

interface Chosen {
  readonly wanted: Wanted;
  readonly app: NavigationApp;
  readonly want: (change: Partial<Wanted>) => void;
  readonly clear: () => void;
  readonly setApp: (app: NavigationApp) => void;
}

const nothing: Wanted = { barrierFree: false, third: false };
const standardApp = chooseApp(navigator);

function useChoices(): Chosen {
  const [{ barrierFree, third }, setWanted] = useRemembered<Wanted>("toilets.wanted", nothing);
  const [app, setApp] = useRemembered<NavigationApp>("toilets.app", standardApp);
  const wanted = useMemo(() => ({ barrierFree, third }), [barrierFree, third]);
  return {
    wanted,
    app,
    want: (change) => setWanted({ ...wanted, ...change }),
    clear: () => setWanted(nothing),
    setApp,
  };
}

function Filters({ choices, mayFilter }: { readonly choices: Chosen; readonly mayFilter: boolean }): ReactNode {
  const t = useTexts();
  const { wanted, want } = choices;
  return (
    <fieldset className="row" disabled={!mayFilter} aria-label={t.wanted}>
      {(["barrierFree", "third"] as const).map((what) => (
        <label className="toilets-chip" key={what}>
          <input
            type="checkbox"
            checked={wanted[what]}
            onChange={(event) => want({ [what]: event.currentTarget.checked })}
          />
          {t[what]}
        </label>
      ))}
    </fieldset>
  );
}

function AppChoice({ choices: { app, setApp } }: { readonly choices: Chosen }): ReactNode {
  const t = useTexts();
  return (
    <label className="toilets-app">
      <span className="soft">{t.app}</span>
      <select value={app} onChange={(event) => setApp(event.currentTarget.value as NavigationApp)}>
        {navigationApps.map((name) => (
          <option key={name} value={name}>
            {t.apps[name]}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ToiletMapProps {
  readonly found: readonly Found[];
  readonly here: Position | undefined;
  readonly chosen: number | undefined;
  readonly onOpen: (id: number) => void;
}

function ToiletMap({ found, here, chosen, onOpen }: ToiletMapProps): ReactNode {
  const t = useTexts();
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
