import { DownloadOutlined } from "@ant-design/icons";
import { App, Button } from "antd";
import { useState } from "react";
import type { ListState } from "#console/blocks/list-page/address.ts";
import { texts } from "#console/blocks/texts.ts";
import { download } from "#console/call/call.ts";
import { useMay } from "#console/session/session.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import type { Operation } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";

interface ExportProps {
  readonly operation: Operation;
  readonly filters: ListState["filters"];
  readonly toQuery?: (filters: ListState["filters"]) => object;
  /** Left out: that it exports. */
  readonly label?: string;
}

/** Downloads what the filters of the moment show, for those who may. */
export function ExportButton({ operation, filters, toQuery, label }: ExportProps) {
  const t = useTexts(texts);
  const { message } = App.useApp();
  const may = useMay();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await download(operation, { query: toQuery ? toQuery(filters) : filters } as never);
      void message.success(t.exported);
    } catch (error) {
      void message.error((error as CallFailure).message);
    } finally {
      setBusy(false);
    }
  };
  if (!may(operation)) return null;
  return (
    <Button icon={<DownloadOutlined aria-hidden />} loading={busy} onClick={() => void run()}>
      {busy ? t.exporting : (label ?? t.exportFile)}
    </Button>
  );
}
