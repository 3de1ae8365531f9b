/** Where a report stands. */
export interface ReportState {
  readonly deleted: boolean;
  readonly closed: boolean;
}

export const verdicts = { valid: 1, invalid: 2 } as const;
export type Verdict = keyof typeof verdicts;

/** Only a normal report that is in progress can be closed. */
export const mayClose = ({ deleted, closed }: ReportState): boolean => !deleted && !closed;

/** A normal report, open or closed, may be judged and judged again. */
export const mayJudge = ({ deleted }: ReportState): boolean => !deleted;

/** Which states a list shows: `delStatus` left out means normal, `status` left out both open and closed. */
export const toListedStates = ({
  delStatus = 1,
  status,
}: {
  delStatus?: 0 | 1 | undefined;
  status?: 0 | 1 | undefined;
}): StateFilter => ({
  deleted: delStatus === 0,
  closed: status === undefined ? undefined : status === 0,
});

/** The export has one status for both: 0 deleted, 1 in progress, 2 closed; left out, all that are not deleted. */
export const toExportedStates = (status: 0 | 1 | 2 | undefined): StateFilter => ({
  deleted: status === 0,
  closed: status === 1 ? false : status === 2 ? true : undefined,
});

export interface StateFilter {
  readonly deleted: boolean;
  readonly closed: boolean | undefined;
}

/** The name of an upload that a reference means, be it a path or a whole address; undefined for any other text. */
export const toUploadName = (reference: string): string | undefined =>
  /\/reporting\/file\/([0-9a-z]+\.[0-9a-z]+)(?:[?#].*)?$/.exec(reference)?.[1];

/** As it stands in accounts, uploads and the audit log. */
export const service = "reporting";

/** By which its uploads know a report. */
export const toHolder = (id: number): string => `report/${id}`;
