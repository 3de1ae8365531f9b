export const verdicts = { valid: 1, invalid: 2 } as const;
export type Verdict = keyof typeof verdicts;

/** Which states a list shows: `delStatus` left out means normal, `status` left out both open and closed. */
export const toListedStates = (query: { delStatus?: 0 | 1 | undefined; status?: 0 | 1 | undefined }): StateFilter => ({
  deleted: query.delStatus === 0,
  closed: query.status === undefined ? undefined : query.status === 0,
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
export const findUploadName = (reference: string): string | undefined =>
  /\/reporting\/file\/([0-9a-z]+\.[0-9a-z]+)(?:[?#].*)?$/.exec(reference)?.[1];

/** As it stands in accounts, uploads and the audit log. */
export const service = "reporting";

/** By which its uploads know a report. */
export const toHolder = (id: number): string => `report/${id}`;
export const fromHolder = (record: string): number => Number(record.slice("report/".length));
