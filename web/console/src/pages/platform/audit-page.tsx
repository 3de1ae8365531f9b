import { platform } from "#shared/api/platform.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useListState } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ExportButton } from "#console/blocks/list-page/export-button.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useLanguage, useTexts } from "#shared/language/language.ts";
import { auditedAccount } from "#console/blocks/record-history.tsx";
import { listKinds, nameKind } from "#console/pages/platform/field-names.ts";
import { listActions, nameAction } from "#console/pages/platform/action-names.ts";
import { AuditDrawer, type Line, nameAccount, nameAddress, tones } from "#console/pages/platform/audit-drawer.tsx";
import { useServiceOptions } from "#console/pages/platform/service-options.ts";
import { auditTexts } from "#console/pages/platform/audit-texts.ts";
import { texts } from "#console/pages/platform/texts.ts";
import { allSections, useServiceNames } from "#console/sections.ts";
import { useState } from "react";

const operations = allSections.map((section) => section.operations);

/** Who did what, to which records, from where, and what it changed. */
export function AuditPage() {
  const t = useTexts(texts);
  const words = useTexts(auditTexts);
  const [opened, setOpened] = useState<Line>();
  const [{ filters }, change] = useListState();
  const showHistory = (record: string, service: string) => {
    setOpened(undefined);
    change({ filters: { record, service }, page: 1 });
  };
  return (
    <>
      <ListPage
        title={t.audit}
        about={t.auditAbout}
        name="platform/audit"
        operation={platform.listAudit}
        filters={useFilters()}
        columns={useColumns(setOpened)}
        actions={
          <ExportButton
            operation={platform.exportAudit}
            filters={filters}
            toQuery={(chosen) => ({ ...chosen, format: "jsonl" })}
            label={words.exportLines}
          />
        }
        exporting={{ operation: platform.exportAudit }}
        empty={{ title: t.noAudit, about: t.noAuditAbout }}
      />
      {opened && <AuditDrawer line={opened} onHistory={showHistory} onClose={() => setOpened(undefined)} />}
    </>
  );
}

function useFilters(): Field[] {
  const t = useTexts(texts);
  const words = useTexts(auditTexts);
  const [language] = useLanguage();
  const services = useServiceOptions();
  return [
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
    {
      kind: "select",
      name: "outcome",
      label: t.outcome,
      options: (["done", "refused", "failed"] as const).map((value) => ({ value, label: t.outcomes[value] })),
    },
    { kind: "text", name: "record", label: words.record, placeholder: words.recordHelp, max: 255 },
    { kind: "select", name: "what", label: words.what, help: words.whatHelp, options: useKinds() },
  ];
}

/** The kinds of record, and those of an account's history together. */
function useKinds(): { value: string; label: string }[] {
  const [language] = useLanguage();
  const { what: account = "" } = auditedAccount(0);
  return [...listKinds().filter((kind) => !account.split(",").includes(kind)), account].map((value) => ({
    value,
    label: value
      .split(",")
      .map((kind) => nameKind(kind, language))
      .join(language === "zh" ? "、" : ", "),
  }));
}

function useColumns(open: (line: Line) => void): Column<Line>[] {
  const t = useTexts(texts);
  const words = useTexts(auditTexts);
  const nameService = useServiceNames();
  const [language] = useLanguage();
  return [
    { field: "time", title: t.time, width: 165, sortable: true },
    { field: "service", title: t.service, width: 120, render: ({ service }) => nameService(service) },
    { field: "userName", title: t.who, width: 170, render: (line) => nameAccount(line, words) },
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
    { field: "address", title: t.address, width: 140, render: (line) => nameAddress(line, words) },
    actionColumn(t.detail, 80, (line) => (
      <RowAction needs="nothing" label={t.openLine(line.id)} onClick={() => open(line)}>
        {t.open}
      </RowAction>
    )),
  ];
}
