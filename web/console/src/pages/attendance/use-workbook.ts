import { App } from "antd";
import { useState } from "react";
import { attendance } from "#console/api/attendance.ts";
import { download } from "#console/call/call.ts";
import { CallFailure } from "#console/call/failure.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/attendance/texts.ts";

interface Filter {
  readonly department?: string | undefined;
  readonly groupOfCheck?: string | undefined;
  readonly name?: string | undefined;
}

/** Downloads the workbook of a month; the second is whether it is being made. */
export function useWorkbook(): readonly [(month: string, filter?: Filter) => void, boolean] {
  const t = useTexts(texts);
  const { message } = App.useApp();
  const [isBusy, setBusy] = useState(false);
  const fetchWorkbook = async (month: string, filter: Filter) => {
    setBusy(true);
    try {
      await download(attendance.download, { query: { month, format: "xlsx", ...definedOf(filter) } });
      void message.success(t.downloaded);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      void message.error(error.message);
    } finally {
      setBusy(false);
    }
  };
  return [(month, filter = {}) => void fetchWorkbook(month, filter), isBusy];
}

const definedOf = (filter: Filter): { [K in keyof Filter]: string } =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== ""));
