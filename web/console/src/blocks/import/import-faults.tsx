import { Alert } from "antd";
import { RowErrors } from "#console/blocks/import/row-errors.tsx";
import type { RowError } from "#shared/call/failure.ts";

interface ImportFaultsProps {
  readonly title: string;
  readonly about?: string | undefined;
  /** What is wrong in which row. */
  readonly rows: readonly RowError[];
}

/** Why a file was not imported. */
export function ImportFaults({ title, about, rows }: ImportFaultsProps) {
  return (
    <>
      <Alert type="error" showIcon className="q-form-failure" title={title} description={about} />
      {rows.length > 0 && <RowErrors rows={rows} />}
    </>
  );
}
