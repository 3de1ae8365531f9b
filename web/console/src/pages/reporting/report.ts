import { reporting } from "#shared/api/reporting.ts";
import type { Tone } from "#console/blocks/status.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useBatch } from "#console/blocks/use-batch.ts";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { call } from "#console/call/call.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/reporting/texts.ts";

export type Report = RecordOf<typeof reporting.reviewReports>;

export const verdictTones: Readonly<Record<Report["valid"], Tone>> = {
  0: "default",
  1: "success",
  2: "error",
  3: "warning",
};

/**
 * The server has the same rules: a deleted report cannot be closed, returned, judged or deleted, and a closed report
 * cannot be closed or returned.
 */
export const mayClose = ({ delStatus, status }: Report): boolean => delStatus === 1 && status === 1;
export const mayChange = ({ delStatus }: Report): boolean => delStatus === 1;

export const mayReturn = mayClose;

export const verdictOperations = {
  1: reporting.markValid,
  2: reporting.markInvalid,
  3: reporting.markReturned,
} as const satisfies Record<Exclude<Report["valid"], 0>, unknown>;

/** The export has one status where the list has two: 0 deleted, 1 in progress, 2 closed. */
export function toExportQuery({ delStatus, status, ...rest }: Readonly<Record<string, string>>): object {
  if (delStatus === "0") return { ...rest, status: 0 };
  return status === undefined ? rest : { ...rest, status: status === "1" ? 1 : 2 };
}

interface ReportActions {
  readonly close: (reports: readonly Report[], onDone?: (failed: readonly Report[]) => void) => void;
  readonly remove: (reports: readonly Report[], onDone?: () => void) => void;
}

export function useReportActions(): ReportActions {
  const t = useTexts();
  const confirm = useConfirm();
  const batch = useBatch("reporting");
  const closeOne = useChange(reporting.closeReport, { done: t.closed });
  const removeAll = useChange(reporting.deleteReports, { done: t.removed });
  const only = (reports: readonly Report[]) => (reports.length === 1 ? reports[0] : undefined);
  return {
    close: (reports, onDone) => {
      const open = reports.filter(mayClose);
      const one = only(open);
      confirm({
        title: one ? t.closeTitle(one.entryName) : t.closeManyTitle(open.length),
        needs: reporting.closeReport,
        about: t.closeAbout,
        verb: t.close,
        work: async () => {
          const close = ({ id }: Report) => call(reporting.closeReport, { body: { itemId: id } });
          if (!one) return onDone?.(await batch(open, close));
          await closeOne.mutateAsync({ body: { itemId: one.id } });
          onDone?.([]);
        },
      });
    },
    remove: (reports, onDone) => {
      const one = only(reports);
      confirm({
        title: one ? t.removeTitle(one.entryName) : t.removeManyTitle(reports.length),
        needs: reporting.deleteReports,
        about: t.removeAbout,
        work: async () => {
          await removeAll.mutateAsync({ body: { ids: reports.map(({ id }) => id) } });
          onDone?.();
        },
      });
    },
  };
}
