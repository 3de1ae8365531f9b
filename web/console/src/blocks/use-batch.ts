import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import type { Session } from "#console/session/session.ts";
import { useTexts } from "#console/blocks/texts.ts";
import { refreshReads } from "#console/call/use-call.ts";
import { CallFailure } from "#shared/call/failure.ts";

const callsAtOnce = 4;

/** Resolves with the records whose call failed. */
export function useBatch(
  service: Session["service"],
): <R>(rows: readonly R[], work: (row: R) => Promise<unknown>) => Promise<R[]> {
  const t = useTexts();
  const { message } = App.useApp();
  const queries = useQueryClient();
  return async (rows, work) => {
    const waiting = [...rows];
    const failed: typeof waiting = [];
    let why = "";
    const takeTurns = async () => {
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
        try {
          await work(row);
        } catch (error) {
          if (!(error instanceof CallFailure)) throw error;
          failed.push(row);
          why ||= error.message;
        }
      }
    };
    await Promise.all(Array.from({ length: callsAtOnce }, takeTurns));
    await refreshReads(queries, service);
    const done = rows.length - failed.length;
    if (failed.length === 0) void message.success(t.batchDone(done));
    else void message.warning(t.batchPartly(done, failed.length, why));
    return failed;
  };
}
