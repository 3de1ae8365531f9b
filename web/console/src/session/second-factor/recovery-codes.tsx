import { Button } from "antd";
import { CopyButton } from "#console/blocks/copy-text.tsx";
import { texts } from "#console/session/second-factor/texts.ts";
import { useTexts } from "#shared/language/language.ts";

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** Seen this once. */
export function RecoveryCodes({ codes, onDone }: RecoveryCodesProps) {
  const t = useTexts(texts);
  return (
    <section aria-label={t.recovery}>
      <h2 className="q-second-heading">{t.recoveryTitle}</h2>
      <p>{t.recoveryAbout}</p>
      <ul className="q-second-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="q-buttons">
        <CopyButton text={codes.join("\n")} label={t.copyAll} />
      </div>
      <Button type="primary" block onClick={onDone} className="q-second-saved">
        {t.saved}
      </Button>
    </section>
  );
}
