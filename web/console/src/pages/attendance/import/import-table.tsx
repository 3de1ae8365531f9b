import { Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { call } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#shared/language/language.ts";
import { useImportColumns } from "#console/pages/attendance/import/import-columns.tsx";
import { ImportDrawer } from "#console/pages/attendance/import/import-drawer.tsx";
import type { ImportRecord } from "#console/pages/attendance/import/task-list.tsx";
import { texts } from "#console/pages/attendance/texts.ts";

const newest = 200;

/** The imports of a month, newest first, among the newest of all. */
export const useMonthImports = (month: string) =>
  useQuery<ImportRecord[], CallFailure>({
    queryKey: ["attendance", "listImports", "month", month],
    queryFn: async () => {
      const { list } = await call(attendance.listImports, { query: { pageSize: newest } });
      return list.filter((record) => record.month === month);
    },
  });

/** What was imported for the month, and what came of it. */
export function ImportTable({ month }: { readonly month: string }) {
  const t = useTexts(texts);
  const [opened, open] = useOpened();
  const columns = useImportColumns((record) => open(record.id));
  const { data, error, refetch } = useMonthImports(month);
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active />;
  return (
    <>
      <Records<ImportRecord>
        density="small"
        rowKey={({ id }) => id}
        rows={data}
        empty={t.noImports}
        pageSize={20}
        // Here they come whole, and unsorted is newest first.
        columns={columns
          .filter(({ field, hidden }) => field !== "month" && hidden !== true)
          .map((column) => ({ ...column, sortable: false }))}
      />
      {opened !== undefined && /^\d+$/.test(opened) && (
        <ImportDrawer id={Number(opened)} onClose={() => open(undefined)} />
      )}
    </>
  );
}
