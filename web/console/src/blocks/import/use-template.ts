import { App } from "antd";
import { download } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import type { Operation } from "#shared/call/operation.ts";

/** How to fetch a workbook that is to be filled in. */
export function useTemplate(): (operation: Operation) => void {
  const { message } = App.useApp();
  return (operation) =>
    void download(operation, {}).catch((failure: CallFailure) => void message.error(failure.message));
}
