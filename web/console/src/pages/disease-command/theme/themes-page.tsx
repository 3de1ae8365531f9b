import { App, Button, Empty, Skeleton } from "antd";
import { type CSSProperties, useState } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { RecordEditor } from "#console/pages/disease-command/records/record-editor.tsx";
import type { Records } from "#console/pages/disease-command/records/records.ts";
import { useRecordTexts, useThemeTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { useMay } from "#console/session/session.ts";
import { Status } from "#console/blocks/status.tsx";
import { toPalette } from "#shared/theme/screen-palette.ts";
import { openPreview } from "#console/pages/disease-command/theme/open-preview.ts";
import { RecordActions } from "#console/pages/disease-command/records/record-actions.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import "#console/pages/disease-command/theme/themes.css";

export function ThemesPage() {
  const t = useTexts();
  const { create } = useRecordTexts();
  const may = useMay();
  const themes = useRead(diseaseCommand.listThemes, {});
  const [edited, edit] = useState<Partial<Theme>>();
  const records = useThemes();
  const button = may(diseaseCommand.saveTheme) && (
    <Button type="primary" onClick={() => edit({ enable: "2" })}>
      {create(t.one)}
    </Button>
  );
  return (
    <>
      <PageHead title={t.title} about={t.about}>
        {button}
      </PageHead>
      {themes.error && <Failure failure={themes.error} onRetry={themes.refetch} />}
      {themes.isPending && <Skeleton active />}
      {themes.data?.length === 0 && (
        <div className="q-card">
          <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.empty}>
            <p className="q-soft">{t.emptyAbout}</p>
            {button}
          </Empty>
        </div>
      )}
      <ul className="q-parts">
        {themes.data?.map((theme) => (
          <ThemeCard
            key={theme.id}
            theme={theme}
            enabled={themes.data.find(({ enable }) => enable === "1")}
            records={records}
            onEdit={edit}
          />
        ))}
      </ul>
      <RecordEditor<Theme> records={records} edited={edited} onEdit={edit} />
    </>
  );
}

function useThemes(): Records<Theme> {
  const t = useTexts();
  return {
    one: t.one,
    what: "theme",
    operations: {
      list: diseaseCommand.listThemes,
      save: diseaseCommand.saveTheme,
      update: diseaseCommand.updateTheme,
      remove: diseaseCommand.deleteThemes,
    },
    nameOf: ({ themeName }) => themeName,
    fields: [
      { kind: "text", name: "themeName", label: t.themeName, required: true, max: 255, help: t.themeNameHelp },
      {
        kind: "choices",
        name: "enable",
        label: t.enable,
        required: true,
        options: [
          { value: "1", label: t.turnOn },
          { value: "2", label: t.states["2"] },
        ],
      },
    ],
  };
}

interface ThemeCardProps {
  readonly theme: Theme;
  readonly enabled: Theme | undefined;
  readonly records: Records<Theme>;
  readonly onEdit: (theme: Theme) => void;
}

function ThemeCard({ theme, enabled, records, onEdit }: ThemeCardProps) {
  const t = useTexts();
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

type Theme = RecordOf<typeof diseaseCommand.listThemes>;

const undoSeconds = 10;

/** The whole city sees the change, so the page asks for confirmation and offers to undo the change. */
function ThemeSwitch({ theme, enabled }: { readonly theme: Theme; readonly enabled: Theme | undefined }) {
  const t = useTexts();
  const may = useMay();
  const confirm = useConfirm();
  const change = useChange(diseaseCommand.updateTheme);
  const offerUndo = useUndo();
  if (!may(diseaseCommand.updateTheme)) return null;
  const { id, themeName } = theme;
  const isOn = theme.enable === "1";
  const set = (one: Theme, enable: Theme["enable"]) => change.mutateAsync({ body: { id: one.id, enable } });
  const turnOn = () =>
    confirm({
      title: t.turnOnTitle(themeName),
      needs: diseaseCommand.updateTheme,
      about: t.turnOnAbout(enabled?.themeName),
      verb: t.turnOn,
      danger: false,
      work: async () => {
        await set(theme, "1");
        offerUndo(t.turnedOn(themeName), () => (enabled ? set(enabled, "1") : set(theme, "2")));
      },
    });
  const turnOff = () =>
    confirm({
      title: t.turnOffTitle(themeName),
      needs: diseaseCommand.updateTheme,
      about: t.turnOffAbout,
      verb: t.turnOff,
      work: async () => {
        await set(theme, "2");
        offerUndo(t.turnedOff(themeName), () => set(theme, "1"));
      },
    });
  return (
    <Button
      key={id}
      aria-label={isOn ? t.turnOffNamed(themeName) : t.turnOnNamed(themeName)}
      onClick={isOn ? turnOff : turnOn}
    >
      {isOn ? t.turnOff : t.turnOn}
    </Button>
  );
}

function useUndo(): (done: string, undo: () => Promise<unknown>) => void {
  const t = useTexts();
  const { message } = App.useApp();
  return (done, undo) => {
    const takeBack = async () => {
      message.destroy(done);
      await undo();
      void message.success(t.undone);
    };
    void message.success({
      key: done,
      duration: undoSeconds,
      content: (
        <>
          {done}
          {/* useChange reports a failure. */}
          <Button type="link" size="small" onClick={() => void takeBack().catch(() => undefined)}>
            {t.undo}
          </Button>
        </>
      ),
    });
  };
}
