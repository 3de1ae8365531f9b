import type { diseaseCommand } from "#shared/api/disease-command.ts";
import { Status } from "#console/blocks/status.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Overview } from "#console/pages/disease-command/overview/use-changes.ts";
import { RecordActions } from "#console/pages/disease-command/records/record-actions.tsx";
import type { Records } from "#console/pages/disease-command/records/records.ts";
import { ScreenMock } from "#console/pages/disease-command/theme/screen-mock.tsx";
import { texts } from "#console/pages/disease-command/theme/texts.ts";
import { ThemeSwitch } from "#console/pages/disease-command/theme/theme-switch.tsx";

export type Theme = RecordOf<typeof diseaseCommand.listThemes>;

interface ThemeCardProps {
  readonly theme: Theme;
  /** The one that is in use. */
  readonly enabled: Theme | undefined;
  readonly records: Records<Theme>;
  readonly overview: Overview | undefined;
  readonly onEdit: (theme: Theme) => void;
  readonly onPreview: (theme: Theme) => void;
}

/** A theme: what the screen looks like in it, whether it is in use, and what can be done with it. */
export function ThemeCard({ theme, enabled, records, overview, onEdit, onPreview }: ThemeCardProps) {
  const t = useTexts(texts);
  const { themeName, enable } = theme;
  const isOn = enable === "1";
  return (
    <li className={`q-card q-disease-theme ${isOn ? "q-disease-theme-on" : ""}`}>
      <div className="q-disease-theme-screen">
        <ScreenMock themeName={themeName} overview={overview} label={t.previewOf(themeName)} />
        <button type="button" aria-label={`${t.preview} ${themeName}`} onClick={() => onPreview(theme)} />
      </div>
      <div className="q-disease-theme-head">
        <h2 title={themeName}>{themeName}</h2>
        <Status tone={isOn ? "success" : "default"}>{t.states[enable]}</Status>
      </div>
      <div className="q-disease-theme-foot">
        <ThemeSwitch theme={theme} enabled={enabled} />
        <RecordActions
          records={isOn ? { ...records, removeAbout: t.removeOnAbout } : records}
          record={theme}
          onEdit={onEdit}
        />
      </div>
    </li>
  );
}
