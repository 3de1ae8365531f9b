import { DownloadOutlined } from "@ant-design/icons";
import { App, Button } from "antd";
import { useState } from "react";
import type { ListState } from "#console/blocks/list-page/address.ts";
import { texts } from "#console/blocks/texts.ts";
import { download } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import type { Operation } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";

interface ExportProps {
  readonly operation: Operation;
  readonly filters: ListState["filters"];
  readonly toQuery?: (filters: ListState["filters"]) => object;
}

/** Downloads what the filters of the moment show. */
export function ExportButton({ operation, filters, toQuery }: ExportProps) {
  const t = useTexts(texts);
  const { message } = App.useApp();
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
  return (
    <Button icon={<DownloadOutlined aria-hidden />} loading={busy} onClick={() => void run()}>
      {busy ? t.exporting : t.exportFile}
    </Button>
  );
}
