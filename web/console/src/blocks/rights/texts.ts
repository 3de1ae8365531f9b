import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    rights: "权限",
    all: "全部",
    none: "无",
    full: "角色的全部权限",
    narrowed: "仅限下表所选",
    service: "服务",
    groups: { read: "查看", write: "修改", export: "导出", money: "资金" },
    cell: (service: string, group: string) => `${service}：${group}`,
    no: "无此类操作",
    comma: "、",
    semicolon: "；",
    fromSignOn: "由统一身份认证开通",
    follows: "此账号由统一身份认证开通，名称与权限以其为准，这里只能停用或启用。",
    help: "资金：退款、标记缴费、缴费开关与对账。更改权限后对方需重新登录。",
  },
  {
    rights: "Rights",
    all: "All",
    none: "None",
    full: "All that the role has",
    narrowed: "Only those chosen here",
    service: "Service",
    groups: { read: "Read", write: "Change", export: "Export", money: "Money" },
    cell: (service: string, group: string) => `${service}: ${group}`,
    no: "No such operations",
    comma: ", ",
    semicolon: "; ",
    fromSignOn: "by campus sign-on",
    follows:
      "The campus sign-on has made this account and says its name and rights: it can only be disabled or enabled here.",
    help: "Money: refunds, marking as paid, who may pay, reconciliation. Other rights sign the account out.",
  },
);
