import { Link } from "react-router";
import { RowAction } from "#console/blocks/buttons.tsx";
import { Status, type Tone } from "#console/blocks/status.tsx";
import { useChange } from "#console/call/use-call.ts";
import { platform } from "#shared/api/platform.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useLanguage } from "#shared/language/language.ts";
import { useTexts } from "./texts.ts";
import "./setup.css";

export type SetupItems = DataOf<typeof platform.readSetup>;

const tones: Readonly<Record<SetupItems[number]["state"], Tone>> = {
  open: "warning",
  done: "success",
  aside: "default",
};

export function SetupList({ items }: { readonly items: SetupItems }) {
  const t = useTexts();
  const [language] = useLanguage();
  const { mutate } = useChange(platform.changeSetup, { done: t.changed });
  return (
    <ul className="q-setup">
      {items.map(({ id, title, about, page, state }) => (
        <li key={id}>
          <Status tone={tones[state]}>{t.states[state]}</Status>
          <span className="q-setup-what">
            <strong>{title[language]}</strong>
            <span className="q-soft">{about[language]}</span>
          </span>
          <span className="q-buttons">
            {state === "open" && (
              <Link to={page} aria-label={t.goTo(title[language])}>
                {t.go}
              </Link>
            )}
            {state !== "done" && (
              <RowAction
                needs={platform.changeSetup}
                label={state === "open" ? t.putAsideOf(title[language]) : t.takeUpOf(title[language])}
                onClick={() => mutate({ body: { id, aside: state === "open" } })}
              >
                {state === "open" ? t.putAside : t.takeUp}
              </RowAction>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
