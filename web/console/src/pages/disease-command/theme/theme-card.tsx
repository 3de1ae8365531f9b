import { Button } from "antd";
import { diseaseCommand } from "#console/api/disease-command.ts";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import type { RecordOf } from "#console/call/operation.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import type { Overview } from "#console/pages/disease-command/overview/use-changes.ts";
import { RecordActions } from "#console/pages/disease-command/records/record-actions.tsx";
import type { Records } from "#console/pages/disease-command/records/records.ts";
import { ScreenMock } from "#console/pages/disease-command/theme/screen-mock.tsx";
import { texts } from "#console/pages/disease-command/theme/texts.ts";
import { useMay } from "#console/session/session.ts";

export type Theme = RecordOf<typeof diseaseCommand.listThemes>;

interface ThemeCardProps {
  readonly theme: Theme;
  readonly records: Records<Theme>;
  readonly overview: Overview | undefined;
  readonly onEdit: (theme: Theme) => void;
  readonly onPreview: (theme: Theme) => void;
}

/** A theme: what the screen looks like in it, whether it is in use, and what can be done with it. */
export function ThemeCard({ theme, records, overview, onEdit, onPreview }: ThemeCardProps) {
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
        <Switching theme={theme} />
        <RecordActions
          records={isOn ? { ...records, removeAbout: t.removeOnAbout } : records}
          record={theme}
          onEdit={onEdit}
        />
      </div>
    </li>
  );
}

/** Enabling is done at once, since it can be taken back; a screen without a theme is asked about. */
function Switching({ theme: { id, themeName, enable } }: { readonly theme: Theme }) {
  const t = useTexts(texts);
  const may = useMay();
  const confirm = useConfirm();
  const isOn = enable === "1";
  const change = useChange(diseaseCommand.updateTheme, { done: isOn ? t.turnedOff(themeName) : t.turnedOn(themeName) });
  if (!may(diseaseCommand.updateTheme)) return null;
  const set = (next: Theme["enable"]) => change.mutateAsync({ body: { id, enable: next } });
  const turnOff = () =>
    confirm({ title: t.turnOffTitle(themeName), about: t.turnOffAbout, verb: t.turnOff, work: () => set("2") });
  return isOn ? (
    <Button aria-label={t.turnOffNamed(themeName)} onClick={turnOff}>
      {t.turnOff}
    </Button>
  ) : (
    <Button
      loading={change.isPending}
      aria-label={t.turnOnNamed(themeName)}
      onClick={() => void set("1").catch(() => undefined)}
    >
      {t.turnOn}
    </Button>
  );
}
