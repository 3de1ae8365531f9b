import { attendance } from "#console/api/attendance.ts";
import { platform } from "#console/api/platform.ts";
import { pushRelay } from "#console/api/push-relay.ts";
import { reporting } from "#console/api/reporting.ts";
import type { Option } from "#console/blocks/fields.tsx";
import type { Operation } from "#console/call/operation.ts";
import type { Language } from "#console/language/language.ts";

// The audit log names an operation as the contracts do: a verb and a noun. Both are few, so a name is put together of
// them; what is not known is shown as it is.

const verbs: Readonly<Record<string, string>> = {
  add: "新增",
  analyse: "分析",
  assign: "分配",
  backfill: "回填",
  change: "修改",
  close: "关闭",
  create: "新建",
  delete: "删除",
  disable: "停用",
  download: "导出",
  enable: "启用",
  export: "导出",
  import: "导入",
  issue: "签发",
  mark: "判定",
  pause: "暂停",
  process: "处理",
  publish: "发布",
  read: "查看",
  remove: "删除",
  replay: "重放",
  resume: "恢复",
  rotate: "轮换",
  save: "保存",
  send: "发送",
  set: "设置",
  sort: "排序",
  submit: "提交",
  test: "测试",
  update: "修改",
  upload: "上传",
};

const nouns: Readonly<Record<string, string>> = {
  Administrator: "管理员",
  Administrators: "管理员",
  Admin: "管理员",
  Application: "校园应用",
  Delivery: "投递",
  Deliveries: "投递",
  DownloadTicket: "下载凭证",
  File: "文件",
  Grade: "年级",
  Invalid: "为无效",
  Month: "月度汇总",
  Operator: "操作员",
  Operators: "操作员",
  Original: "原始记录",
  Password: "密码",
  Payable: "应缴信息",
  Payables: "应缴信息",
  Project: "推送项目",
  Projects: "推送项目",
  Push: "推送",
  Report: "报备",
  Reports: "报备",
  Secret: "密钥",
  Sessions: "会话",
  Settings: "设置",
  Valid: "为有效",
  Work: "人员身份",
};

const whole: Readonly<Record<string, string>> = {
  login: "登录",
  logout: "退出登录",
  analyse: "分析月度考勤",
  download: "导出",
};

/** An operation's name in words: "deleteReports" is 删除报备, "delete reports" in English. */
export function nameAction(action: string, language: Language): string {
  const words = action.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  if (language === "en") return words;
  const [, verb = "", noun = ""] = /^([a-z]+)(.*)$/.exec(action) ?? [];
  const known = verbs[verb];
  return whole[action] ?? (known && nouns[noun] ? known + nouns[noun] : words);
}

const tables: readonly Readonly<Record<string, Pick<Operation, "name" | "method" | "who">>>[] = [
  platform,
  reporting,
  attendance,
  pushRelay,
];

// What changes nothing is not in the log, exports, a look at a secret and the start of an analysis aside; nor is what anybody may do.
const isLogged = ({ method, who, name }: Pick<Operation, "name" | "method" | "who">): boolean =>
  ["login", "analyse", "readSecret"].includes(name) || who === "download" || (method !== "GET" && who !== "anyone");

/** Every operation that the log can name, to choose from. */
export function listActions(language: Language): Option[] {
  const names = new Set(
    tables
      .flatMap((table) => Object.values(table))
      .filter(isLogged)
      .map(({ name }) => name),
  );
  return [...names].map((value) => ({ value, label: nameAction(value, language) }));
}
