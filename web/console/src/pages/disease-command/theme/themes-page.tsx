import { Button, Empty, Skeleton } from "antd";
import { useState } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { RecordEditor } from "#console/pages/disease-command/records/record-editor.tsx";
import type { Records } from "#console/pages/disease-command/records/records.ts";
import { texts as recordTexts } from "#console/pages/disease-command/records/texts.ts";
import { texts } from "#console/pages/disease-command/theme/texts.ts";
import { ThemeCard } from "#console/pages/disease-command/theme/theme-card.tsx";
import type { Theme } from "#console/pages/disease-command/theme/theme-switch.tsx";
import "#console/pages/disease-command/theme/themes.css";
import { useMay } from "#console/session/session.ts";

/** The themes of the big screen, each as the screen would look in it. */
export function ThemesPage() {
  const t = useTexts(texts);
  const { create } = useTexts(recordTexts);
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
      <ul className="q-disease-themes">
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
  const t = useTexts(texts);
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
