import { HistoryOutlined } from "@ant-design/icons";
import { Tooltip } from "antd";
import { ButtonLink } from "#console/blocks/buttons.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import { mayOpen, useSession } from "#console/session/session.ts";
import { platform } from "#shared/api/platform.ts";

export interface Audited {
  /** Left out: whichever, as its number is the only one of its kind. */
  readonly service?: string;
  readonly record: string | number;
  /** What kinds of record it may be, of which others may have the same number; left out: no other has. */
  readonly what?: string;
}

/** An account, with its keys, second factors and campus identities. */
export const auditedAccount = (id: number): Audited => ({ record: id, what: "account,accessKey,factor" });

interface RecordHistoryProps {
  readonly of: Audited;
  /** In a row, with the record's name for those who hear the page; left out, it is the button of a drawer. */
  readonly name?: string;
}

/** Leads to all that was done with a record, for those who may read the audit log. */
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
