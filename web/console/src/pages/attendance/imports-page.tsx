import { attendance } from "#shared/api/attendance.ts";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { ImportDrawer, useImportColumns } from "#console/pages/attendance/import/import-table.tsx";
import { useTexts } from "#console/pages/attendance/texts.ts";
import "#console/pages/attendance/attendance.css";

const everyMs = 2000;

export function ImportsPage() {
  const t = useTexts();
  const [opened, open] = useOpened();
  const sheets = (["month", "original", "work"] as const).map((value) => ({ value, label: t.sheets[value] }));
  const columns = useImportColumns((record) => open(record.id));
  return (
    <>
      <ListPage
        title={t.imports}
        about={t.importsAbout}
        name="attendance/imports"
        operation={attendance.listImports}
        filters={[
          { kind: "month", name: "month", label: t.month },
          { kind: "select", name: "sheet", label: t.sheet, options: sheets },
        ]}
        columns={columns}
        rowName={({ fileName }) => fileName}
        empty={{ title: t.noImports }}
        everyMs={everyMs}
      />
      {opened !== undefined && /^\d+$/.test(opened) && (
        <ImportDrawer id={Number(opened)} onClose={() => open(undefined)} />
      )}
    </>
  );
}
