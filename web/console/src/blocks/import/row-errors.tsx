import { Records } from "#console/blocks/list-page/records.tsx";
import { texts } from "#console/blocks/texts.ts";
import type { RowError } from "#shared/call/failure.ts";
import { useTexts } from "#shared/language/language.ts";

/** What is wrong in which row of a workbook. */
export function RowErrors({ rows }: { readonly rows: readonly RowError[] }) {
  const t = useTexts(texts);
  return (
    <div className="q-row-errors">
      <Records<RowError & { key: number }>
        density="small"
        rowKey={({ key }) => key}
        rows={rows.map((row, key) => ({ ...row, key }))}
        pageSize={10}
        empty={null}
        columns={[
          { title: t.row, field: "row", width: 72 },
          { title: t.field, field: "field", width: 140 },
          { title: t.problem, field: "message", width: 220, wraps: true },
        ]}
      />
      {rows.length >= 100 && <p className="q-soft">{t.moreRows}</p>}
    </div>
  );
}
