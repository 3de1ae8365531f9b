import { Button } from "antd";
import type { CSSProperties } from "react";
import { Status } from "#console/blocks/status.tsx";
import { useTexts } from "#shared/language/language.ts";
import { toPalette } from "#shared/theme/screen-palette.ts";
import { openPreview } from "#console/pages/disease-command/theme/open-preview.ts";
import { RecordActions } from "#console/pages/disease-command/records/record-actions.tsx";
import type { Records } from "#console/pages/disease-command/records/records.ts";
import { texts } from "#console/pages/disease-command/theme/texts.ts";
import { ThemeSwitch, type Theme } from "#console/pages/disease-command/theme/theme-switch.tsx";

interface ThemeCardProps {
  readonly theme: Theme;
  /** The one that is in use. */
  readonly enabled: Theme | undefined;
  readonly records: Records<Theme>;
  readonly onEdit: (theme: Theme) => void;
}

/** A theme: its colours, whether it is in use, and what can be done with it. */
export function ThemeCard({ theme, enabled, records, onEdit }: ThemeCardProps) {
  const t = useTexts(texts);
  const { themeName, enable } = theme;
  const isOn = enable === "1";
  return (
    <li className={`q-card q-disease-theme ${isOn ? "q-disease-theme-on" : ""}`}>
      <Colours themeName={themeName} />
      <div className="q-disease-theme-head">
        <h2 title={themeName}>{themeName}</h2>
        <Status tone={isOn ? "success" : "default"}>{t.states[enable]}</Status>
      </div>
      <div className="q-disease-theme-foot">
        <span>
          <ThemeSwitch theme={theme} enabled={enabled} />{" "}
          <Button aria-label={`${t.preview} ${themeName}`} onClick={() => openPreview(theme.id)}>
            {t.preview}
          </Button>
        </span>
        <RecordActions
          records={isOn ? { ...records, removeAbout: t.removeOnAbout } : records}
          record={theme}
          onEdit={onEdit}
        />
      </div>
    </li>
  );
}

/** The screen's colours in the theme: its ground, a panel and what is stressed. */
function Colours({ themeName }: { readonly themeName: string }) {
  const { hue, isLight } = toPalette(themeName);
  return (
    <div
      className={`q-disease-theme-colours ${isLight ? "q-disease-theme-light" : ""}`}
      style={{ "--q-hue": hue } as CSSProperties}
      aria-hidden
    />
  );
}
