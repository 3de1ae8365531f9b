import { platform } from "#shared/api/platform.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import type { Field } from "#console/blocks/fields.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { Status, type Tone } from "#console/blocks/status.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useLanguage, useTexts } from "#shared/language/language.ts";
import { listActions, nameAction } from "#console/pages/platform/action-names.ts";
import { useServiceOptions } from "#console/pages/platform/service-options.ts";
import { texts } from "#console/pages/platform/texts.ts";
import { allSections, useServiceNames } from "#console/sections.ts";
import { useState } from "react";

type Line = RecordOf<typeof platform.listAudit>;

const operations = allSections.map((section) => section.operations);

const tones: Readonly<Record<Line["outcome"], Tone>> = { done: "success", refused: "warning", failed: "error" };

/** Who did what, to which records, from where. */
export function AuditPage() {
  const t = useTexts(texts);
  const nameService = useServiceNames();
  const [language] = useLanguage();
  const [opened, setOpened] = useState<Line>();
  const services = useServiceOptions();
  const filters: Field[] = [
    { kind: "select", name: "service", label: t.service, options: services },
    { kind: "text", name: "userName", label: t.userName },
    { kind: "span", name: "span", from: "startTime", to: "endTime", label: t.span },
    {
      kind: "select",
      name: "action",
      label: t.action,
      placeholder: t.actionAny,
      options: listActions(language, operations),
    },
  ];
  const columns: Column<Line>[] = [
    { field: "time", title: t.time, width: 165, sortable: true },
    { field: "service", title: t.service, width: 120, render: ({ service }) => nameService(service) },
    { field: "userName", title: t.who, width: 170, render: nameAccount },
    { field: "action", title: t.action, width: 200, render: ({ action }) => nameAction(action, language) },
    {
      field: "outcome",
      title: t.outcome,
      width: 100,
      render: ({ outcome }) => <Status tone={tones[outcome]}>{t.outcomes[outcome]}</Status>,
    },
    {
      field: "records",
      title: t.records,
      width: 120,
      render: ({ records }) => (records.length > 3 ? t.recordCount(records.length) : records.join(", ")),
    },
    { field: "address", title: t.address, width: 140 },
    actionColumn(t.detail, 80, (line) => (
      <RowAction label={t.openLine(line.id)} onClick={() => setOpened(line)}>
        {t.open}
      </RowAction>
    )),
  ];
  return (
    <>
      <ListPage
        title={t.audit}
        about={t.auditAbout}
        name="platform/audit"
        operation={platform.listAudit}
        filters={filters}
        columns={columns}
        empty={{ title: t.noAudit, about: t.noAuditAbout }}
      />
      {opened && (
        <DetailDrawer
          title={t.line}
          onClose={() => setOpened(undefined)}
          details={[
            { label: t.time, value: opened.time },
            { label: t.outcome, value: <Status tone={tones[opened.outcome]}>{t.outcomes[opened.outcome]}</Status> },
            { label: t.service, value: nameService(opened.service) },
            { label: t.who, value: nameAccount(opened) },
            { label: t.action, value: `${nameAction(opened.action, language)} (${opened.action})`, wide: true },
            { label: t.address, value: opened.address, wide: true },
            { label: t.records, value: opened.records.join(", "), wide: true },
            ...Object.entries(opened.detail ?? {}).map(([label, value]) => ({
              label,
              value: String(value),
              wide: true,
            })),
          ]}
        />
      )}
    </>
  );
}

const nameAccount = ({ userName, name }: Line): string =>
  name !== null && name !== "" && name !== userName ? `${userName} (${name})` : userName;
