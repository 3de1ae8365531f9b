import { platform } from "#shared/api/platform.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useListState } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ExportButton, ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { Status, type Tone } from "#console/blocks/status.tsx";
import { useLanguage } from "#shared/language/language.ts";
import { auditedAccount } from "#console/blocks/record-history.tsx";
import { listKinds, nameField, nameKind } from "#console/pages/platform/field-names.ts";
import { listActions, nameAction } from "#console/pages/platform/action-names.ts";
import { useServiceOptions } from "#console/pages/platform/service-options.ts";
import { useAuditTexts, useTexts } from "#console/pages/platform/texts.ts";
import { allSections, useServiceNames } from "#console/sections.ts";
import { useState } from "react";
import { Button } from "antd";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import "#console/pages/platform/audit-changes.css";

const operations = allSections.map((section) => section.operations);

export function AuditPage() {
  const t = useTexts();
  const words = useAuditTexts();
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
  const t = useTexts();
  const words = useAuditTexts();
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
  const t = useTexts();
  const words = useAuditTexts();
  const nameService = useServiceNames();
  const nameLine = useLineName();
  return [
    { field: "time", title: t.time, width: 165, sortable: true },
    { field: "service", title: t.service, width: 120, render: ({ service }) => nameService(service) },
    { field: "userName", title: t.who, width: 170, render: (line) => nameAccount(line, words) },
    { field: "action", title: t.action, width: 200, wraps: true, render: nameLine },
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

type Line = RecordOf<typeof platform.listAudit>;
type AuditTexts = ReturnType<typeof useAuditTexts>;
type Change = Line["changes"][number];

const tones: Readonly<Record<Line["outcome"], Tone>> = { done: "success", refused: "warning", failed: "error" };

/** Actions from the command line and the first start have no account, and their address is "local". */
const isHere = ({ address }: Line): boolean => address === "local";

function nameAccount(line: Line, t: AuditTexts): string {
  const { userName, name } = line;
  if (isHere(line)) return { "command line": t.commandLine, "first start": t.firstStart }[userName] ?? userName;
  return name !== null && name !== "" && name !== userName ? `${userName} (${name})` : userName;
}

const nameAddress = (line: Line, t: AuditTexts): string => (isHere(line) ? t.here : line.address);

interface AuditDrawerProps {
  readonly line: Line;
  readonly onHistory: (record: string, service: Line["service"]) => void;
  readonly onClose: () => void;
}

function AuditDrawer({ line, onHistory, onClose }: AuditDrawerProps) {
  const t = useTexts();
  const words = useAuditTexts();
  const nameService = useServiceNames();
  const [language] = useLanguage();
  const nameLine = useLineName();
  const [record] = line.records;
  return (
    <DetailDrawer
      title={t.line}
      onClose={onClose}
      {...(record !== undefined && {
        actions: <Button onClick={() => onHistory(record, line.service)}>{words.historyOf(record)}</Button>,
      })}
      details={[
        { label: t.time, value: line.time },
        { label: t.outcome, value: <Status tone={tones[line.outcome]}>{t.outcomes[line.outcome]}</Status> },
        { label: t.service, value: nameService(line.service) },
        { label: t.who, value: nameAccount(line, words) },
        { label: t.action, value: `${nameLine(line)} (${line.action})`, wide: true },
        { label: t.address, value: nameAddress(line, words), wide: true },
        { label: t.records, value: line.records.join(", "), wide: true },
        ...Object.entries(line.detail ?? {}).map(([label, value]) => ({
          label: nameField(label, language),
          value: String(value),
          wide: true,
        })),
      ]}
    >
      {line.changes.length > 0 && (
        <section className="q-changes">
          <h3>{words.changes}</h3>
          {line.changes.map((change) => (
            <ChangeTable key={`${change.what} ${change.record}`} change={change} />
          ))}
          {line.changedRecords > line.changes.length && (
            <p className="q-soft">{words.moreChanged(line.changedRecords - line.changes.length)}</p>
          )}
        </section>
      )}
    </DetailDrawer>
  );
}

function ChangeTable({ change: { what, record, fields } }: { readonly change: Change }) {
  const t = useAuditTexts();
  const [language] = useLanguage();
  return (
    <table>
      <caption>{`${nameKind(what, language)} ${record}`}</caption>
      <thead>
        <tr>
          <th scope="col">{t.field}</th>
          <th scope="col">{t.before}</th>
          <th scope="col">{t.after}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row">{nameField(field, language)}</th>
            <td className="q-before">{showValue(field, before, t)}</td>
            <td>{showValue(field, after, t)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function showValue(field: string, value: Change["fields"][number]["before"], t: AuditTexts): string {
  if (value === null || value === "") return t.nothing;
  if (value === "***") return t.notShown;
  if (typeof value === "boolean") return value ? t.yes : t.no;
  return typeof value === "number" && field.endsWith("Fen") ? `¥${(value / 100).toFixed(2)}` : String(value);
}

function useLineName(): (line: Line) => string {
  const [language] = useLanguage();
  const { checkOnly } = useAuditTexts();
  return ({ action, detail }) => {
    const name = nameAction(action, language);
    return detail?.["dryRun"] === true ? checkOnly(name) : name;
  };
}
