import { ArrowRightOutlined } from "@ant-design/icons";
import { Button, Select } from "antd";
import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { formatCount } from "#console/blocks/format.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { nameFigure, useFigureUnits, useFixedNames } from "#shared/attendance/figure-names.ts";
import type { Settings } from "#console/pages/attendance/records.ts";
import { useTexts } from "#console/pages/attendance/texts.ts";

type Preview = DataOf<typeof attendance.previewSettings>;
type PreviewRow = Preview["rows"][number];

interface SettingsPreviewProps {
  readonly isChanged: boolean;
  readonly readChange: () => Promise<Settings>;
}

export function SettingsPreview({ isChanged, readChange }: SettingsPreviewProps) {
  const t = useTexts();
  const { data: months } = useRead(attendance.listMonths, {});
  const analysed = (months ?? []).filter(({ statu }) => statu === 2);
  const [chosen, choose] = useState<string>();
  const month = chosen ?? analysed[0]?.month;
  const preview = useChange(attendance.previewSettings);
  const run = async () => {
    const change = await readChange().catch(() => undefined);
    if (change && month !== undefined) preview.mutate({ body: { month, ...change } });
  };
  return (
    <section className="q-card">
      <h2 className="q-attendance-part">{t.previewTitle}</h2>
      <p className="q-soft">{t.previewAbout}</p>
      {months && analysed.length === 0 ? (
        <p>{t.previewNoMonth}</p>
      ) : (
        <div className="q-attendance-compare">
          <Select
            aria-label={t.previewMonth}
            value={month ?? null}
            options={analysed.map((each) => ({ value: each.month, label: each.month }))}
            onChange={choose}
          />
          <Button disabled={!isChanged || month === undefined} loading={preview.isPending} onClick={() => void run()}>
            {t.preview}
          </Button>
          {!isChanged && <span className="q-soft">{t.previewFirstChange}</span>}
        </div>
      )}
      {preview.data && <PreviewResult preview={preview.data} />}
    </section>
  );
}

function PreviewResult({ preview: { month, employees, changed, rows } }: { readonly preview: Preview }) {
  const t = useTexts();
  const said =
    changed === 0 ? t.previewNone(month) : t.previewChanged(month, formatCount(changed), formatCount(employees));
  return (
    <>
      <p role="status" className="q-attendance-preview-said">
        {said}
        {changed > rows.length && <span className="q-soft"> {t.previewFirst}</span>}
      </p>
      {rows.length > 0 && (
        <Records<PreviewRow>
          density="small"
          rowKey={({ userId, workNum, workName }) => [userId, workNum, workName].join()}
          rows={rows}
          empty={null}
          pageSize={10}
          columns={[
            { title: t.name, field: "workName", width: 110 },
            {
              title: t.said(t.field, `${t.before} → ${t.after}`),
              field: "changes",
              width: 260,
              render: ({ changes }) => <Changes changes={changes} />,
            },
          ]}
        />
      )}
    </>
  );
}

function Changes({ changes }: { readonly changes: PreviewRow["changes"] }) {
  const names = useFixedNames();
  const withUnit = useFigureUnits();
  return (
    <ul className="q-attendance-changes">
      {changes.map(({ field, before, after }) => (
        <li key={field}>
          <span>{nameFigure(names, field)}</span>
          <span>{withUnit(field, before) || "—"}</span>
          <ArrowRightOutlined aria-hidden />
          <strong>{withUnit(field, after) || "—"}</strong>
        </li>
      ))}
    </ul>
  );
}
