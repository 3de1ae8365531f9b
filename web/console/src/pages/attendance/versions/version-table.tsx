import { asFile } from "#console/session/session.ts";
import { Skeleton, Space, Tag } from "antd";
import { Link, useSearchParams } from "react-router";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { useRead } from "#console/call/use-call.ts";
import type { Month, Version } from "#console/pages/attendance/records.ts";
import {
  useCoverageTexts,
  useTexts as usePageTexts,
  useVersionTexts as useTexts,
} from "#console/pages/attendance/texts.ts";
import { useDownload } from "#console/pages/attendance/use-month.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { MonthCoverage } from "#console/pages/attendance/coverage/month-coverage.tsx";
import { WarningList } from "#console/pages/attendance/import/import-parts.tsx";

export function VersionTable({ month }: { readonly month: Month }) {
  const t = useTexts();
  const { operations, people } = usePageTexts();
  const { data, error, refetch } = useRead(attendance.listVersions, { query: { month: month.month } });
  const [opened, open] = useOpenedVersion();
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active />;
  const shown = data.find(({ id }) => String(id) === opened);
  return (
    <>
      <Records<Version>
        density="small"
        rowKey={({ id }) => id}
        rows={data}
        empty={t.none}
        pageSize={20}
        columns={[
          { title: t.version, field: "number", width: 170, render: (version) => <Name version={version} /> },
          { title: t.note, field: "note", width: 200, render: ({ note }) => note || "—" },
          {
            title: t.employees,
            field: "employees",
            width: 80,
            align: "right",
            render: ({ employees }) => people(formatCount(employees)),
          },
          {
            title: t.lockTime,
            field: "lockTime",
            width: 150,
            wraps: true,
            render: ({ lockTime }) => lockTime.slice(0, 16),
          },
          { title: t.lockedBy, field: "lockedBy", width: 110 },
          { title: t.reason, field: "reason", width: 180, render: ({ reason }) => reason ?? "—" },
          actionColumn(operations, 250, (version) => (
            <VersionActions version={version} isFinished={month.statu === 2} onOpen={() => open(version.id)} />
          )),
        ]}
      />
      {shown && <VersionDrawer version={shown} onClose={() => open(undefined)} />}
    </>
  );
}

function Name({ version: { number, unlockTime } }: { readonly version: Version }) {
  const t = useTexts();
  return (
    <>
      {t.number(number)} {unlockTime === null && <Tag>{t.current}</Tag>}
    </>
  );
}

interface VersionActionsProps {
  readonly version: Version;
  readonly isFinished: boolean;
  readonly onOpen: () => void;
}

function VersionActions({ version: { id, month, number }, isFinished, onOpen }: VersionActionsProps) {
  const t = useTexts();
  const [fetchFile, isFetching] = useDownload();
  return (
    <Space size={12} wrap>
      <RowAction needs="nothing" label={t.openNamed(number)} onClick={onOpen}>
        {t.open}
      </RowAction>
      <RowAction
        needs={asFile(attendance.readVersion)}
        label={t.downloadNamed(number)}
        onClick={() =>
          !isFetching &&
          fetchFile(attendance.readVersion, { params: { id }, query: { format: "xlsx", idCards: "masked" } })
        }
      >
        {t.download}
      </RowAction>
      {isFinished && (
        <Link to={`/attendance/compare?month=${month}&version=${id}`} aria-label={t.compareNamed(number)}>
          {t.compare}
        </Link>
      )}
    </Space>
  );
}

/**
 * The address holds the open version in a parameter of its own, since the list of imports on the same page uses
 * `open`.
 */
function useOpenedVersion(): readonly [string | undefined, (id: number | undefined) => void] {
  const [search, setSearch] = useSearchParams();
  const open = (id: number | undefined) =>
    setSearch((last) => {
      const next = new URLSearchParams(last);
      if (id === undefined) next.delete("version");
      else next.set("version", String(id));
      return next;
    });
  return [search.get("version") ?? undefined, open];
}

function VersionDrawer({ version, onClose }: { readonly version: Version; readonly onClose: () => void }) {
  const t = useTexts();
  const { title: coverageTitle } = useCoverageTexts();
  const [fetchFile, isFetching] = useDownload();
  const { id, month, days, number, note, employees, covered, waring, lockTime, lockedBy } = version;
  const { unlockTime, unlockedBy, reason } = version;
  return (
    <DetailDrawer
      title={t.detailTitle(month, number)}
      width={720}
      onClose={onClose}
      actions={
        <RowAction
          needs={asFile(attendance.readVersion)}
          label={t.downloadWhole}
          onClick={() =>
            !isFetching &&
            fetchFile(attendance.readVersion, { params: { id }, query: { format: "xlsx", idCards: "whole" } })
          }
        >
          {t.downloadWhole}
        </RowAction>
      }
      details={[
        { label: t.lockTime, value: lockTime },
        { label: t.lockedBy, value: lockedBy },
        { label: t.note, value: note, wide: true },
        { label: t.employees, value: formatCount(employees), wide: true },
        { label: t.unlockTime, value: unlockTime ?? t.current },
        { label: t.unlockedBy, value: unlockedBy },
        { label: t.reason, value: reason, wide: true },
      ]}
    >
      <div className="q-attendance-outcome">
        <h3 className="q-attendance-part">{coverageTitle}</h3>
        <MonthCoverage days={days} covered={covered} />
      </div>
      {waring !== "" && (
        <div className="q-attendance-outcome">
          <h3 className="q-attendance-part">{t.basis}</h3>
          <WarningList waring={waring} />
        </div>
      )}
    </DetailDrawer>
  );
}
