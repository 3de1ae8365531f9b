import type { Language } from "#platform/contract/language.ts";
import { type Problem, type ProblemTable, toMessage } from "#platform/contract/problem.ts";
import { pageNumber, type PageQuery } from "#platform/contract/sorting.ts";

export interface Envelope<T = unknown> {
  readonly success: boolean;
  readonly message: string;
  readonly code: string;
  readonly data: T;
}

const done = { zh: "操作成功", en: "Done" } as const;

export const succeed = <T>(data: T, language: Language): Envelope<T> => ({
  success: true,
  message: done[language],
  code: "0",
  data,
});

export class JsonText {
  readonly json: string;
  constructor(json: string) {
    this.json = json;
  }
}

export function writeSuccess(data: unknown, language: Language): string {
  if (!(data instanceof JsonText)) return JSON.stringify(succeed(data, language));
  return `{"success":true,"message":${JSON.stringify(done[language])},"code":"0","data":${data.json}}`;
}

export const fail = (problem: Problem, table: ProblemTable, language: Language): Envelope => ({
  success: false,
  message: toMessage(problem, table, language),
  code: table[problem.problem].code,
  data: problem.extras.data ?? null,
});

export const failBare = (
  problem: Problem,
  table: ProblemTable,
  language: Language,
): { code: number; message: string } => ({
  code: Number(table[problem.problem].code),
  message: toMessage(problem, table, language),
});

export interface Page<T> {
  readonly totalCount: number;
  readonly pageSize: number;
  readonly totalPage: number;
  readonly currPage: number;
  readonly list: T[];
}

export const toPage = <T>(list: T[], totalCount: number, query: PageQuery): Page<T> => ({
  totalCount,
  pageSize: query.pageSize,
  totalPage: Math.ceil(totalCount / query.pageSize),
  currPage: pageNumber(query),
  list,
});
