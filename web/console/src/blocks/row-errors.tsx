import { Table } from "antd";
import { texts } from "#console/blocks/texts.ts";
import type { RowError } from "#console/call/failure.ts";
import { useTexts } from "#console/language/language.ts";

/** What is wrong in which row of a workbook. */
export function RowErrors({ rows }: { readonly rows: readonly RowError[] }) {
  const t = useTexts(texts);
  return (
    <div className="q-row-errors">
      <Table<RowError & { key: number }>
        size="small"
        dataSource={rows.map((row, key) => ({ ...row, key }))}
        pagination={rows.length > 10 ? { pageSize: 10, showSizeChanger: false, size: "small" } : false}
        columns={[
          { title: t.row, dataIndex: "row", width: 72 },
          { title: t.field, dataIndex: "field", width: 140 },
          { title: t.problem, dataIndex: "message" },
        ]}
      />
      {rows.length >= 100 && <p className="q-soft">{t.moreRows}</p>}
    </div>
  );
}
