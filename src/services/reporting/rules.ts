export const verdicts = { valid: 1, invalid: 2, returned: 3 } as const;
export type Verdict = keyof typeof verdicts;
export type VerdictCode = (typeof verdicts)[Verdict];

/** The documented operations do not know returned reports, so they show returned reports as not judged. */
export const toDocumentedVerdict = (verdict: 0 | VerdictCode): 0 | 1 | 2 =>
  verdict === verdicts.returned ? 0 : verdict;

export const toListedStates = (query: { delStatus?: 0 | 1 | undefined; status?: 0 | 1 | undefined }): StateFilter => ({
  deleted: query.delStatus === 0,
  closed: query.status === undefined ? undefined : query.status === 0,
});

/** `status` 0 means deleted, 1 in progress and 2 closed. Without `status`, all reports match except deleted ones. */
export const toExportedStates = (status: 0 | 1 | 2 | undefined): StateFilter => ({
  deleted: status === 0,
  closed: status === 1 ? false : status === 2 ? true : undefined,
});

export interface StateFilter {
  readonly deleted: boolean;
  readonly closed: boolean | undefined;
}

const findUploadName = (reference: string): string | undefined =>
  /\/reporting\/file\/([0-9a-z]+\.[0-9a-z]+)(?:[?#].*)?$/.exec(reference)?.[1];

interface Files {
  readonly bFile?: readonly string[] | null | undefined;
  readonly file?: string | null | undefined;
}

export const listUploadNames = ({ bFile, file }: Files): string[] =>
  [...(bFile ?? []), file ?? ""].flatMap((reference) => findUploadName(reference) ?? []);

export const service = "reporting";

export const toHolder = (id: number): string => `report/${id}`;
export const fromHolder = (record: string): number => Number(record.slice("report/".length));
