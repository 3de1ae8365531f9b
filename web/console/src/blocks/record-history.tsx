import { HistoryOutlined } from "@ant-design/icons";
import { Tooltip } from "antd";
import { ButtonLink } from "#console/blocks/buttons.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import { mayOpen, useSession } from "#console/session/session.ts";
import { platform } from "#shared/api/platform.ts";

export interface Audited {
  /** Needed only if records of another service may have the same id. */
  readonly service?: string;
  readonly record: string | number;
  /** Kinds of record, separated by commas; needed only if records of another kind may have the same id. */
  readonly what?: string;
}

export const auditedAccount = (id: number): Audited => ({ record: id, what: "account,accessKey,factor" });

interface RecordHistoryProps {
  readonly of: Audited;
  readonly name?: string;
}

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
