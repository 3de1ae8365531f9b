import type { Option } from "#console/blocks/fields.tsx";
import type { Operation } from "#shared/call/operation.ts";
import type { Language } from "#shared/language/language.ts";
import type { Section } from "#console/shell/section.ts";

// The audit log names operations by verb and noun, as the contracts do, so a label is composed of both. A name with an
// unknown verb or noun is shown in English.

const verbs: Readonly<Record<string, string>> = {
  add: "新增",
  answer: "答复",
  backfill: "全量补发",
  begin: "开始",
  change: "修改",
  close: "关闭",
  confirm: "确认",
  create: "新建",
  delete: "删除",
  download: "导出",
  export: "导出",
  finish: "完成",
  import: "导入",
  issue: "签发",
  mark: "审核",
  mute: "静音",
  pause: "暂停",
  process: "处理",
  read: "查看",
  record: "登记",
  rename: "重命名",
  renew: "重新生成",
  preview: "预览",
  replay: "重发",
  reset: "重置",
  resume: "恢复",
  revoke: "吊销",
  rotate: "轮换",
  save: "保存",
  set: "设置",
  show: "验证",
  test: "测试",
  unmute: "取消静音",
  update: "修改",
  upload: "上传",
};

const nouns: Readonly<Record<string, string>> = {
  AccessKey: "访问密钥",
  Administrator: "管理员",
  Alert: "告警",
  AlertChannel: "告警渠道",
  Application: "校园应用",
  Audit: "审计日志",
  BroadcastRecord: "广播记录",
  BroadcastStatistics: "广播统计",
  CampusIdentity: "校园身份",
  CampusIdentities: "校园身份",
  Capacity: "景区承载量",
  CityMap: "城市地图",
  Code: "验证码",
  Consumption: "消费分类统计",
  Deliveries: "投递",
  Detection: "检测统计",
  DownloadTicket: "下载凭证",
  Feedback: "反馈",
  Factor: "验证方式",
  FeverClinic: "发热门诊统计",
  Image: "图片",
  Invalid: "为无效",
  Returned: "为退回补充",
  Reasons: "常用原因",
  Keyword: "校区关键词",
  Member: "应急队员",
  Month: "月度汇总",
  MonthSummary: "月度总结",
  Operator: "操作员",
  Order: "订单",
  Original: "原始记录",
  Passkey: "通行密钥",
  Password: "密码",
  PayLimit: "年级缴费开关",
  Payable: "缴费信息",
  Payment: "缴费",
  Plan: "活动策划",
  Project: "推送项目",
  ReceiverKey: "接收方密钥",
  RecoveryCode: "恢复码",
  Report: "报备",
  ScenicSpot: "景区",
  Secret: "签名密钥",
  ServiceAccount: "服务账号",
  OwnSession: "自己的会话",
  Session: "会话",
  ShowPasskey: "验证通行密钥",
  Settings: "设置",
  SignOn: "统一身份登录",
  Team: "应急队伍",
  Theme: "主题",
  Toilet: "公厕",
  Totp: "验证器",
  Valid: "为有效",
  Version: "考勤版本",
  Work: "员工信息",
};

const singular = (noun: string): string =>
  noun in nouns ? noun : noun.endsWith("ies") ? `${noun.slice(0, -3)}y` : noun.replace(/s$/, "");

const whole: Readonly<Record<string, string>> = {
  listDirectory: "查看人员与机构",
  login: "登录",
  useAccessKey: "使用访问密钥",
  showPerson: "查看个人资料",
  erasePerson: "清除个人资料",
  removeOld: "清理到期资料",
  backup: "备份",
  importOld: "从旧系统迁入",
  seal: "加密数据",
  openSealed: "解密数据",
  setOperatorPassword: "设置操作员密码",
  unlockOperator: "解锁操作员",
  logout: "退出登录",
  analyse: "分析月度考勤",
  download: "导出月度考勤",
  downloadDepartments: "导出各部门考勤",
  readMonth: "查看月度考勤",
  compare: "比较月度考勤",
  lock: "锁定月度考勤",
  unlock: "解锁月度考勤",
  match: "匹配考勤人员",
  matchAll: "批量匹配考勤人员",
  changeNoticeSettings: "修改通知设置",
  changeSetup: "搁置或恢复初始设置",
  changeInstitution: "修改单位信息",
  uploadInstitutionPicture: "上传单位图片",
  tryNotice: "试发通知",
  changeOwnContact: "修改自己的联系方式",
  updatePassword: "修改自己的密码",
  previewSettings: "预览考勤设置",
  beginTotp: "开始绑定验证器",
  beginPasskey: "开始添加通行密钥",
  recognise: "识别考勤表",
  importUpload: "导入已识别的考勤表",
  correct: "更正考勤",
  undoCorrection: "撤销考勤更正",
  judgeObjection: "处理考勤异议",
  adjustPayable: "调整应缴金额",
  undoAdjustment: "撤销缴费调整",
  exportAdjustments: "导出缴费调整",
  exportJournal: "导出收支流水",
  exportJournalAsCsv: "导出收支流水文本文件",
  settleBooks: "更正缴费状态",
  refundOrder: "订单退款",
  refundAgain: "重新退款",
  refundOutside: "登记线下退款",
  approveRefund: "批准退款",
  refuseRefund: "拒绝退款",
  askOrder: "向支付渠道查询订单",
  refundMany: "批量退款",
  importRefunds: "导入批量退款",
  actAtDesk: "办理待处理款项",
  giveBackOrder: "退回金额不符的付款",
  runReconciliation: "与支付渠道对账",
  handleReconciliation: "处理对账差异",
};

/** "deleteReports" becomes 删除报备, in English "Delete reports". */
export function nameAction(action: string, language: Language): string {
  const words = action.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  if (language === "en") return words.charAt(0).toUpperCase() + words.slice(1);
  const [, verb = "", noun = ""] = /^([a-z]+)(.*)$/.exec(action) ?? [];
  const [known, what] = [verbs[verb], nouns[singular(noun)]];
  return whole[action] ?? (known && what ? known + what : words);
}

export type ActionTable = Section["operations"];

type Listed = Pick<Operation, "name" | "method" | "who" | "takes" | "asFile" | "audited">;

/** The log has logins, changes, exports, and reads that the contract declares audited. */
const isLogged = ({ name, method, who, takes, asFile, audited }: Listed): boolean => {
  if (who === "anyone" || who === "guest") return name === "login";
  const changes = method !== "GET" || takes === "write" || takes === "money";
  return changes || takes === "export" || asFile === "export" || audited === true;
};

/**
 * The log also has actions that are not operations: reading a page of the attendance download, using an invalid key,
 * and running a command.
 */
const besideOperations = [
  "readMonth",
  "useAccessKey",
  "showPerson",
  "erasePerson",
  "removeOld",
  "backup",
  "importOld",
  "seal",
  "openSealed",
  "setOperatorPassword",
  "unlockOperator",
];

export function listActions(language: Language, tables: readonly ActionTable[]): Option[] {
  const names = new Set(
    tables
      .flatMap((table) => Object.values(table))
      .filter(isLogged)
      .map(({ name }) => name),
  );
  return [...names, ...besideOperations].map((value) => ({ value, label: nameAction(value, language) }));
}
