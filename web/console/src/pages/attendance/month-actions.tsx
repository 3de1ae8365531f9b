import { attendance } from "#shared/api/attendance.ts";
import { asFile, useMay } from "#console/session/session.ts";
import { IfMay } from "#console/blocks/if-may.tsx";
import { DownloadOutlined, DownOutlined, ImportOutlined, PlayCircleOutlined } from "@ant-design/icons";
import { Button, Dropdown, Space } from "antd";
import { PrintButton } from "#console/blocks/print.tsx";
import { useTexts } from "#shared/language/language.ts";
import { useGridState } from "#console/pages/attendance/grid/filters.ts";
import { LockButton } from "#console/pages/attendance/lock/lock-button.tsx";
import type { MonthProps } from "#console/pages/attendance/records.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import { useAnalyse } from "#console/pages/attendance/use-analysis.ts";
import { useWorkbook } from "#console/pages/attendance/use-workbook.ts";

/** What can be done with a month; what is to be done next is the button in colour. */
export function MonthActions({ month: { month, statu, employees, locked }, onImport }: MonthProps) {
  const t = useTexts(texts);
  const may = useMay();
  const analyse = useAnalyse();
  const [fetchWorkbook, isFetching] = useWorkbook();
  const [{ name, department, group }] = useGridState();
  const isFiltered = [name, department, group].some((value) => value !== undefined && value !== "");
  const analyseMonth = () => analyse.mutate({ query: { month } });
  return (
    <div className="q-page-head-end q-buttons">
      {statu === 2 && <PrintButton />}
      <IfMay operation={attendance.importUpload}>
        <Button icon={<ImportOutlined />} onClick={onImport}>
          {t.importButton}
        </Button>
      </IfMay>
      {employees > 0 && statu !== 1 && !locked && may(attendance.analyse) && (
        <Button
          type={statu === 2 ? "default" : "primary"}
          icon={<PlayCircleOutlined />}
          loading={analyse.isPending}
          onClick={analyseMonth}
        >
          {statu === 2 ? t.analyseAgain : t.analyse}
        </Button>
      )}
      {statu === 2 && !locked && <LockButton month={month} />}
      {statu === 2 && may(asFile(attendance.download)) && (
        <Space.Compact>
          <Button type="primary" icon={<DownloadOutlined />} loading={isFetching} onClick={() => fetchWorkbook(month)}>
            {t.download}
          </Button>
          {isFiltered && (
            <Dropdown
              trigger={["click"]}
              menu={{
                items: [
                  { key: "shown", label: t.downloadShown },
                  { key: "all", label: t.downloadAll },
                ],
                onClick: ({ key }) =>
                  fetchWorkbook(month, key === "shown" ? { name, department, groupOfCheck: group } : {}),
              }}
            >
              <Button type="primary" icon={<DownOutlined />} aria-label={t.more} />
            </Dropdown>
          )}
        </Space.Compact>
      )}
    </div>
  );
}
