import { type ReactNode, useMemo } from "react";
import type { Wanted } from "#public/toilets/nearby.ts";
import { chooseApp, type NavigationApp, navigationApps } from "#public/toilets/navigation.ts";
import { texts } from "#public/toilets/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import { useRemembered } from "#shared/remembered.ts";

/** What somebody looks for, and what leads them there: kept on the phone, since it is the same the next time. */
export interface Chosen {
  readonly wanted: Wanted;
  readonly app: NavigationApp;
  readonly want: (change: Partial<Wanted>) => void;
  readonly clear: () => void;
  readonly setApp: (app: NavigationApp) => void;
}

export const nothing: Wanted = { barrierFree: false, third: false };
const standardApp = chooseApp(navigator);

export function useChoices(): Chosen {
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

/** @param mayFilter whether it is known what each toilet has */
export function Filters({ choices, mayFilter }: { readonly choices: Chosen; readonly mayFilter: boolean }): ReactNode {
  const t = useTexts(texts);
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

export function AppChoice({ choices: { app, setApp } }: { readonly choices: Chosen }): ReactNode {
  const t = useTexts(texts);
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
