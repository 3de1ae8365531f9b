import { ImportOutlined } from "@ant-design/icons";
import { Button, Space } from "antd";
import { attendance } from "#shared/api/attendance.ts";
import { IfMay } from "#console/blocks/if-may.tsx";
import { useTexts } from "#shared/language/language.ts";
import { TemplateMenu } from "#console/pages/attendance/import/template-menu.tsx";
import { texts } from "#console/pages/attendance/texts.ts";

/** In place of an empty list: what to do first, and then. */
export function FirstSteps({ onImport }: { readonly onImport: () => void }) {
  const t = useTexts(texts);
  const steps = [
    [t.firstSteps.export, t.firstSteps.exportAbout],
    [t.firstSteps.import, t.firstSteps.importAbout],
    [t.firstSteps.download, t.firstSteps.downloadAbout],
  ] as const;
  return (
    <section className="q-card q-attendance-first">
      <h2>{t.noMonths}</h2>
      <ol>
        {steps.map(([title, about]) => (
          <li key={title}>
            <strong>{title}</strong>
            <p className="q-soft">{about}</p>
          </li>
        ))}
      </ol>
      <IfMay operation={attendance.importUpload}>
        <Button type="primary" size="large" icon={<ImportOutlined />} onClick={onImport}>
          {t.importButton}
        </Button>
      </IfMay>
      <Space className="q-soft">
        {t.noExport}
        <TemplateMenu type="link" />
      </Space>
    </section>
  );
}
