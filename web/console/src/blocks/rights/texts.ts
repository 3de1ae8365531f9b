import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  rights: ["权限", "Rights"],
  all: ["全部", "All"],
  none: ["无", "None"],
  full: ["角色的全部权限", "All that the role has"],
  narrowed: ["仅限下表所选", "Only those chosen here"],
  service: ["服务", "Service"],
  groups: { read: ["查看", "Read"], write: ["修改", "Change"], export: ["导出", "Export"], money: ["资金", "Money"] },
  cell: (service: string, group: string) => [`${service}：${group}`, `${service}: ${group}`],
  comma: ["、", ", "],
  semicolon: ["；", "; "],
  fromSignOn: ["由统一身份认证开通", "by campus sign-on"],
  follows: [
    "此账号由统一身份认证开通，名称与权限以其为准，这里只能停用或启用。",
    "Made by campus sign-on, which also decides its name and rights. Here it can only be disabled or enabled.",
  ],
  help: [
    "资金：退款、标记缴费、缴费开关与对账。更改权限后对方需重新登录。",
    "Money: refunds, marking as paid, who may pay, reconciliation. A change of rights signs the account out.",
  ],
});
