import type { Bilingual, Language } from "#platform/contract/language.ts";

export interface ProblemKind extends Bilingual {
  readonly code: string;
  readonly status: number;
}

export const kind = (code: string, status: number, zh: string, en: string): ProblemKind => ({ code, status, zh, en });

export const sharedProblems = {
  unknownError: kind("10000", 500, "系统未知异常", "Unknown system error"),
  unavailable: kind("10000", 503, "系统繁忙，请稍后再试", "The system is busy; try again later"),
  badFormat: kind("10001", 400, "参数格式校验失败", "Invalid parameter format"),
  bodyEmpty: kind("10002", 400, "请求体为空", "The request body is empty"),
  methodNotSupported: kind("10003", 405, "不支持该请求方法", "The method is not supported on this path"),
  alreadyExists: kind("10004", 409, "数据已存在", "The data already exists"),
  keyReused: kind("10004", 409, "数据已存在", "The data already exists"),
  notFound: kind("10005", 404, "数据不存在", "The data does not exist"),
  tokenInvalid: kind("10006", 401, "令牌无效或已过期", "The token is invalid or has expired"),
  tokenEmpty: kind("10006", 401, "令牌为空", "The token is empty"),
  notAllowedNow: kind("10007", 400, "参数异常", "The request is not allowed in the current state"),
  forbidden: kind("10008", 403, "无操作权限", "No permission for this operation"),
  loginFailed: kind("10009", 401, "用户名或密码错误", "Wrong user name or password"),
  signOnFailed: kind("10009", 401, "统一身份认证失败", "The campus sign-on failed"),
  headerMissing: kind("10012", 401, "缺少必要的请求头", "A required request header is missing"),
  paymentNotFound: kind("10013", 404, "缴费信息不存在", "The payment information does not exist"),
  orderNotFound: kind("10014", 404, "订单不存在", "The order does not exist"),
  noPaymentParameters: kind("10015", 502, "获取支付参数失败", "The gateway returned no payment parameters"),
  ccbQueryFailed: kind("10016", 502, "建设银行订单查询失败", "The order query at CCB failed"),
  otherGateway: kind("10017", 400, "订单不属于该支付渠道", "The order does not belong to this gateway"),
  abcQueryFailed: kind("10018", 502, "农业银行订单查询失败", "The order query at ABC failed"),
  gradeNotFound: kind("10019", 404, "缴费年级不存在", "The payment grade does not exist"),
  importFailed: kind("10020", 400, "文件导入失败", "The file could not be imported"),
  amountWrong: kind("10021", 400, "缴费金额有误", "The amount is wrong"),
  paymentItemExists: kind("10022", 409, "缴费项目已存在", "The payment item already exists"),
  idMissing: kind("10023", 400, "id不能为空", "The id is missing"),
  payablesEmpty: kind("10023", 400, "缴费信息不能为空", "The order has no payables"),
  itemNotFound: kind("10025", 404, "缴费项目不存在", "The payment item does not exist"),
  tooLong: kind("10026", 400, "内容过长", "The content is too long"),
  bodyTooLarge: kind("10026", 413, "请求体过大", "The request body is too large"),
  itemPaid: kind("10029", 409, "缴费项目已缴费", "The payment item is already paid"),
  badFile: kind("10030", 400, "文件格式错误", "The file format is wrong"),
  fileTooLarge: kind("10030", 413, "文件过大", "The file is too large"),
  // Only campus platforms that encrypt their pushes can receive this problem.
  pushUnreadable: kind("10001", 400, "推送数据无法读取", "The pushed data cannot be read"),
  batchFailed: kind("10100", 500, "批量操作失败", "The batch operation failed"),
  tooManyRequests: kind("20001", 429, "请求过于频繁", "Too many requests"),
  accountLocked: kind(
    "20002",
    423,
    "登录失败次数过多，账号已锁定，请稍后再试",
    "The account is locked after too many failed logins; try again later",
  ),
  factorNeeded: kind("20011", 403, "需要两步验证", "A second factor is required"),
  factorWrong: kind("20012", 400, "验证未通过", "The second factor could not be verified"),
  passwordGiven: kind("20013", 403, "请先更换初始密码", "Change the initial password first"),
  accountUnclear: kind("20014", 409, "您有多个账号，请选择登录身份", "You have several accounts: choose one"),
  pathNotFound: kind("20003", 404, "路径不存在", "The path does not exist"),
  outsideNotConfigured: kind("20004", 503, "外部服务未配置", "The external service is not configured"),
  outsideFailed: kind("20004", 502, "外部服务调用失败", "The call to the external service failed"),
} as const;

export type ProblemName = keyof typeof sharedProblems;

export type ProblemTable = Readonly<Record<ProblemName, ProblemKind>>;

export interface ProblemExtras {
  /** Describes what was wrong and where. It never contains a secret, path, SQL or stack. */
  readonly detail?: Bilingual | undefined;
  readonly data?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The cause of a failure outside the platform, in the platform's own words. It is logged but never sent. */
  readonly why?: string;
}

export class Problem extends Error {
  readonly problem: ProblemName;
  readonly extras: ProblemExtras;
  constructor(problem: ProblemName, extras: ProblemExtras = {}) {
    super(extras.detail ? `${problem}: ${extras.detail.en}` : problem);
    this.problem = problem;
    this.extras = extras;
  }
}

export function found<T>(record: T | undefined): T {
  if (record === undefined) throw new Problem("notFound");
  return record;
}

export const explain = (problem: ProblemName, zh: string, en: string): Problem =>
  new Problem(problem, { detail: { zh, en } });

export function toMessage({ problem, extras }: Problem, table: ProblemTable, language: Language): string {
  const words = table[problem][language];
  if (!extras.detail) return words;
  return language === "zh" ? `${words}：${extras.detail.zh}` : `${words}: ${extras.detail.en}`;
}

export type ConstraintProblems = Readonly<
  Record<string, ProblemName | { readonly problem: ProblemName; readonly field: string }>
>;
