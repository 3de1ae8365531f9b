import { DownloadOutlined, DownOutlined } from "@ant-design/icons";
import { Button, Dropdown, Space } from "antd";
import { useGridState } from "#console/pages/attendance/grid/grid-filters.tsx";
import { useTexts } from "#console/pages/attendance/texts.ts";
import { useDownload, useWorkbook } from "#console/pages/attendance/use-month.ts";
import { useMay } from "#console/session/session.ts";
import { attendance } from "#shared/api/attendance.ts";

export function MonthDownloads({ month }: { readonly month: string }) {
  const t = useTexts();
  const may = useMay();
  const [fetchWorkbook, isFetching] = useWorkbook();
  const [fetchFile, isFetchingAll] = useDownload();
  const [{ name, department, group }] = useGridState();
  const isFiltered = [name, department, group].some((value) => value !== undefined && value !== "");
  const items = (["masked", "whole"] as const).map((idCards) => ({
    key: idCards,
    type: "group" as const,
    label: t.idCards[idCards],
    children: [
      ...(isFiltered
        ? [
            {
              key: `shown ${idCards}`,
              label: t.downloadShown,
              onClick: () => fetchWorkbook(month, { name, department, groupOfCheck: group, idCards }),
            },
          ]
        : []),
      { key: `all ${idCards}`, label: t.downloadAll, onClick: () => fetchWorkbook(month, { idCards }) },
      ...(may(attendance.downloadDepartments)
        ? [
            {
              key: `departments ${idCards}`,
              label: t.downloadDepartments,
              onClick: () => fetchFile(attendance.downloadDepartments, { query: { month, idCards } }),
            },
          ]
        : []),
    ],
  }));
  return (
    <Space.Compact>
      <Button
        type="primary"
        icon={<DownloadOutlined />}
        loading={isFetching || isFetchingAll}
        onClick={() => fetchWorkbook(month)}
      >
        {t.download}
      </Button>
      <Dropdown trigger={["click"]} menu={{ items }}>
        <Button type="primary" icon={<DownOutlined />} aria-label={t.more} />
      </Dropdown>
    </Space.Compact>
  );
}
