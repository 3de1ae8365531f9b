import { App } from "antd";
import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { download } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { Given, Operation } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

interface Filter {
  readonly department?: string | undefined;
  readonly groupOfCheck?: string | undefined;
  readonly name?: string | undefined;
}

type FetchFile = <E extends Endpoint>(operation: Operation<E>, given: Partial<Given<E>>) => void;

/** Downloads a workbook, and says that it has come or why not; the second is whether it is being made. */
export function useDownload(): readonly [FetchFile, boolean] {
  const t = useTexts(texts);
  const { message } = App.useApp();
  const [isBusy, setBusy] = useState(false);
  const fetchFile = async <E extends Endpoint>(operation: Operation<E>, given: Partial<Given<E>>) => {
    setBusy(true);
    try {
      await download(operation, given);
      void message.success(t.downloaded);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      void message.error(error.message);
    } finally {
      setBusy(false);
    }
  };
  return [(operation, given) => void fetchFile(operation, given), isBusy];
}

/** Downloads the workbook of a month. */
export function useWorkbook(): readonly [(month: string, filter?: Filter) => void, boolean] {
  const [fetchFile, isBusy] = useDownload();
  const fetchWorkbook = (month: string, filter: Filter = {}) =>
    fetchFile(attendance.download, { query: { month, format: "xlsx", ...definedOf(filter) } });
  return [fetchWorkbook, isBusy];
}

const definedOf = (filter: Filter): { [K in keyof Filter]: string } =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== ""));
