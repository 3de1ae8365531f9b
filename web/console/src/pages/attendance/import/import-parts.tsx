import { DownloadOutlined } from "@ant-design/icons";
import { Button, Dropdown } from "antd";
import type { ImportSheet } from "#services/attendance/contract.ts";
import { attendance } from "#shared/api/attendance.ts";
import { useTemplate } from "#console/blocks/import/import-parts.tsx";
import { useTexts } from "#console/pages/attendance/texts.ts";

const templates = {
  month: attendance.readMonthTemplate,
  original: attendance.readOriginalTemplate,
  work: attendance.readWorkTemplate,
} as const;

export function TemplateMenu({ type = "default" }: { readonly type?: "default" | "link" }) {
  const t = useTexts();
  const fetchTemplate = useTemplate();
  return (
    <Dropdown
      trigger={["click"]}
      menu={{
        items: (["month", "original", "work"] as const).map((key) => ({ key, label: t.sheets[key] })),
        onClick: ({ key }) => fetchTemplate(templates[key as ImportSheet]),
      }}
    >
      <Button type={type} icon={<DownloadOutlined />}>
        {t.templates}
      </Button>
    </Dropdown>
  );
}

export function WarningList({ waring }: { readonly waring: string }) {
  const lines = waring.split("\n").filter((line) => line !== "");
  if (lines.length === 0) return null;
  return (
    <ul className="q-attendance-warnings">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}
