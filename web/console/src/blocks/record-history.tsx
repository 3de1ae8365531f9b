import { HistoryOutlined } from "@ant-design/icons";
import { Tooltip } from "antd";
import { ButtonLink } from "#console/blocks/buttons.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import { mayOpen, useSession } from "#console/session/session.ts";
import { platform } from "#shared/api/platform.ts";

export interface Audited {
  /** By default any service, if the number is unique. */
  readonly service?: string;
  readonly record: string | number;
  /** The record's kinds, if other kinds may have the same number; by default any kind. */
  readonly what?: string;
}

/** An account with its keys, second factors and campus identities. */
export const auditedAccount = (id: number): Audited => ({ record: id, what: "account,accessKey,factor" });

interface RecordHistoryProps {
  readonly of: Audited;
  /** The record's accessible name in a row; without it, a drawer's button is shown. */
  readonly name?: string;
}

/** Links to the record's audit trail, with the right to read it. */
export function RecordHistory({ of, name }: RecordHistoryProps) {
  const t = useTexts();
  const session = useSession();
  const { record, ...kind } = of;
  const to = `/platform/audit?${new URLSearchParams({ ...kind, record: String(record) })}`;
  if (!mayOpen(session, platform.listAudit)) return null;
  if (name !== undefined)
    return (
      <ButtonLink type="link" size="small" className="q-row-action" aria-label={t.historyNamed(name)} to={to}>
        {t.history}
      </ButtonLink>
    );
  return (
    <Tooltip title={t.historyAbout}>
      <ButtonLink type="text" icon={<HistoryOutlined aria-hidden />} aria-label={t.historyAbout} to={to} />
    </Tooltip>
  );
}
