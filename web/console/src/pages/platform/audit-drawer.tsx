import { Button } from "antd";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Status, type Tone } from "#console/blocks/status.tsx";
import { nameAction } from "#console/pages/platform/action-names.ts";
import { nameField, nameKind } from "#console/pages/platform/field-names.ts";
import { auditTexts } from "#console/pages/platform/audit-texts.ts";
import { texts } from "#console/pages/platform/texts.ts";
import { useServiceNames } from "#console/sections.ts";
import type { platform } from "#shared/api/platform.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useLanguage, useTexts } from "#shared/language/language.ts";
import "#console/pages/platform/audit-changes.css";

export type Line = RecordOf<typeof platform.listAudit>;
type AuditTexts = (typeof auditTexts)["zh"];
type Change = Line["changes"][number];

export const tones: Readonly<Record<Line["outcome"], Tone>> = { done: "success", refused: "warning", failed: "error" };

/** What is done on the server itself has no account and no address. */
const isHere = ({ address }: Line): boolean => address === "local";

export function nameAccount(line: Line, t: AuditTexts): string {
  const { userName, name } = line;
  if (isHere(line)) return { "command line": t.commandLine, "first start": t.firstStart }[userName] ?? userName;
  return name !== null && name !== "" && name !== userName ? `${userName} (${name})` : userName;
}

export const nameAddress = (line: Line, t: AuditTexts): string => (isHere(line) ? t.here : line.address);

interface AuditDrawerProps {
  readonly line: Line;
  /** Leads to all lines about a record. */
  readonly onHistory: (record: string, service: Line["service"]) => void;
  readonly onClose: () => void;
}

/** A line of the audit log, with what it changed before and after. */
export function AuditDrawer({ line, onHistory, onClose }: AuditDrawerProps) {
  const t = useTexts(texts);
  const words = useTexts(auditTexts);
  const nameService = useServiceNames();
  const [language] = useLanguage();
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
        { label: t.action, value: `${nameAction(line.action, language)} (${line.action})`, wide: true },
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
  const t = useTexts(auditTexts);
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
