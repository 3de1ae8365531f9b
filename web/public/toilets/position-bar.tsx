import type { ReactNode } from "react";
import type { Whereabouts } from "#public/toilets/position.ts";
import { texts } from "#public/toilets/texts.ts";
import { useTexts } from "#shared/language/language.ts";

export interface PositionBarProps {
  readonly whereabouts: Whereabouts;
  readonly locate: () => void;
}

/** Asks where somebody is, and says why that is not known. */
export function PositionBar({ whereabouts, locate }: PositionBarProps): ReactNode {
  const t = useTexts(texts);
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
