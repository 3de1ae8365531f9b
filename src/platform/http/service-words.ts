import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Bilingual } from "#platform/contract/language.ts";

/** What the pages call a service, and say of it in one line. */
interface ServiceWords {
  readonly title: Bilingual;
  readonly about: Bilingual;
}

export const serviceWords: Readonly<Record<ServiceContract["name"], ServiceWords>> = {
  reporting: {
    title: { zh: "项目报备", en: "Reporting" },
    about: {
      zh: "提交、审核、导出项目报备",
      en: "Project reports: submitted, judged and exported",
    },
  },
  attendance: {
    title: { zh: "考勤分析", en: "Attendance" },
    about: {
      zh: "导入考勤表，按月统计出勤",
      en: "Attendance sheets, imported and worked out by month",
    },
  },
  "push-relay": {
    title: { zh: "消息推送", en: "Push relay" },
    about: {
      zh: "校园人员与组织变更，按序送达各项目",
      en: "Campus changes, passed on to every project in order",
    },
  },
  "tuition-payment": {
    title: { zh: "学费缴纳", en: "Tuition payment" },
    about: {
      zh: "缴费信息、年级缴费开关与意见反馈",
      en: "What students have to pay, which grades can pay, and feedback",
    },
  },
  "disease-command": {
    title: { zh: "疾病防控指挥", en: "Disease command" },
    about: { zh: "应急队伍、检测、门诊与大屏", en: "Teams, detection, clinics and the big screen" },
  },
  platform: {
    title: { zh: "平台管理", en: "Platform" },
    about: { zh: "操作员、会话、审计与设置", en: "Operators, sessions, audit and settings" },
  },
};
