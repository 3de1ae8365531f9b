import { Input, type InputRef } from "antd";
import { type ReactNode, useRef, useState } from "react";
import { KeyButton } from "#console/blocks/queue/key-button.tsx";
import type { QueueControls } from "#console/blocks/queue/queue.tsx";
import { useTexts } from "#console/blocks/queue/texts.ts";
import type { CallOptions } from "#console/call/call.ts";
import { type Judged, useMay } from "#console/session/session.ts";

export interface Verdict {
  readonly letter: string;
  readonly label: string;
  readonly said: string;
  readonly needs: Judged;
  readonly look?: "primary" | "danger";
  readonly reason?: "needed" | "optional";
  readonly send: (reason: string | undefined, options: CallOptions) => Promise<unknown>;
}

interface VerdictsProps {
  readonly verdicts: readonly Verdict[];
  readonly reasons: readonly string[];
  readonly editReasons?: ReactNode;
  readonly maxReason: number;
  readonly controls: QueueControls;
}

export function Verdicts({ verdicts, reasons, editReasons, maxReason, controls }: VerdictsProps) {
  const may = useMay();
  const [chosen, choose] = useState<Verdict>();
  const offered = verdicts.filter(({ needs }) => may(needs));
  const decide = ({ said, send }: Verdict, reason?: string) =>
    controls.decide({ said, send: (options) => send(reason, options) });
  const giveUp = () => {
    choose(undefined);
    controls.focus();
  };
  return (
    <div className="q-queue-verdicts">
      {chosen === undefined ? (
        <div className="q-buttons">
          {offered.map((verdict) => (
            <KeyButton
              key={verdict.letter}
              letter={verdict.letter}
              type={verdict.look === "primary" ? "primary" : "default"}
              danger={verdict.look === "danger"}
              onClick={() => (verdict.reason ? choose(verdict) : decide(verdict))}
            >
              {verdict.label}
            </KeyButton>
          ))}
          {controls.steps}
        </div>
      ) : (
        <Reasons
          verdict={chosen}
          reasons={reasons.slice(0, 9)}
          max={maxReason}
          onGiven={(reason) => decide(chosen, reason)}
          onGivenUp={giveUp}
        >
          {editReasons}
        </Reasons>
      )}
    </div>
  );
}

interface ReasonsProps {
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
  readonly max: number;
  readonly onGiven: (reason: string | undefined) => void;
  readonly onGivenUp: () => void;
  readonly children: ReactNode;
}

function Reasons({ verdict, reasons, max, onGiven, onGivenUp, children }: ReasonsProps) {
  const t = useTexts();
  const field = useRef<InputRef>(null);
  const [text, setText] = useState("");
  return (
    <fieldset className="q-queue-reasons" aria-label={t.why(verdict.label)}>
      <p>
        <strong>{t.why(verdict.label)}</strong> {children}
      </p>
      {reasons.map((reason, index) => (
        <KeyButton key={reason} letter={String(index + 1)} onClick={() => onGiven(reason)}>
          {reason}
        </KeyButton>
      ))}
      <Input
        ref={field}
        // The field gets no focus if digits are shortcuts: 1 to 9 choose a preset reason, and 0 decides without a reason.
        autoFocus={reasons.length === 0 && verdict.reason === "needed"}
        aria-label={t.ownWords}
        placeholder={t.ownWords}
        maxLength={max}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onPressEnter={({ nativeEvent }) => !nativeEvent.isComposing && text.trim() !== "" && onGiven(text.trim())}
        onKeyDown={({ key, nativeEvent }) => key === "Escape" && !nativeEvent.isComposing && onGivenUp()}
      />
      <div className="q-buttons">
        <KeyButton letter="W" onClick={() => field.current?.focus()}>
          {t.write}
        </KeyButton>
        {verdict.reason === "optional" && (
          <KeyButton letter="0" onClick={() => onGiven(undefined)}>
            {t.withoutReason}
          </KeyButton>
        )}
        <KeyButton letter="Escape" onClick={onGivenUp}>
          {t.cancel}
        </KeyButton>
      </div>
    </fieldset>
  );
}
