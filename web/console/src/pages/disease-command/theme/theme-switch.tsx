import type { RecordOf } from "#shared/call/operation.ts";
import { App, Button } from "antd";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/disease-command/theme/texts.ts";
import { useMay } from "#console/session/session.ts";

export type Theme = RecordOf<typeof diseaseCommand.listThemes>;

/** For so long the way back is offered. */
const undoSeconds = 10;

interface ThemeSwitchProps {
  readonly theme: Theme;
  /** The one that is in use. */
  readonly enabled: Theme | undefined;
}

/** Enables or disables a theme, after a question, for a whole city sees it; and offers the way back. */
export function ThemeSwitch({ theme, enabled }: ThemeSwitchProps) {
  const t = useTexts(texts);
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

/** Says what was done, with a button that takes it back. */
function useUndo(): (done: string, undo: () => Promise<unknown>) => void {
  const t = useTexts(texts);
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
          {/* What goes wrong is told by useChange. */}
          <Button type="link" size="small" onClick={() => void takeBack().catch(() => undefined)}>
            {t.undo}
          </Button>
        </>
      ),
    });
  };
}
