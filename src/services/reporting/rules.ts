export const verdicts = { valid: 1, invalid: 2, returned: 3 } as const;
export type Verdict = keyof typeof verdicts;
export type VerdictCode = (typeof verdicts)[Verdict];

/** Documented operations have no returned state and show it as not judged. */
export const toDocumentedVerdict = (verdict: 0 | VerdictCode): 0 | 1 | 2 =>
  verdict === verdicts.returned ? 0 : verdict;

/** Maps a list's query to states: `delStatus` defaults to normal, `status` to open and closed. */
export const toListedStates = (query: { delStatus?: 0 | 1 | undefined; status?: 0 | 1 | undefined }): StateFilter => ({
  deleted: query.delStatus === 0,
  closed: query.status === undefined ? undefined : query.status === 0,
});

/** The export's single status: 0 deleted, 1 in progress, 2 closed; default: all but deleted. */
export const toExportedStates = (status: 0 | 1 | 2 | undefined): StateFilter => ({
  deleted: status === 0,
  closed: status === 1 ? false : status === 2 ? true : undefined,
});

export interface StateFilter {
  readonly deleted: boolean;
  readonly closed: boolean | undefined;
}

/** The upload name in a path or complete address; undefined for other text. */
const findUploadName = (reference: string): string | undefined =>
  /\/reporting\/file\/([0-9a-z]+\.[0-9a-z]+)(?:[?#].*)?$/.exec(reference)?.[1];

interface Files {
  readonly bFile?: readonly string[] | null | undefined;
  readonly file?: string | null | undefined;
}

export const listUploadNames = ({ bFile, file }: Files): string[] =>
  [...(bFile ?? []), file ?? ""].flatMap((reference) => findUploadName(reference) ?? []);

/** The service's name in accounts, uploads and the audit log. */
export const service = "reporting";

/** The key under which a report owns uploads. */
export const toHolder = (id: number): string => `report/${id}`;
export const fromHolder = (record: string): number => Number(record.slice("report/".length));
