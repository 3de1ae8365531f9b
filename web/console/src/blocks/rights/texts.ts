import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  rights: ["权限", "Rights"],
  all: ["全部", "All"],
  none: ["无", "None"],
  full: ["角色的全部权限", "All rights of the role"],
  narrowed: ["仅限下表所选", "Only the rights selected below"],
  service: ["服务", "Service"],
  groups: {
    read: ["查看", "Read"],
    write: ["修改", "Change"],
    export: ["导出", "Export"],
    money: ["资金", "Money"],
    accounts: ["账号", "Accounts"],
    audit: ["审计", "Audit"],
  },
  cell: (service: string, group: string) => [`${service}：${group}`, `${service}: ${group}`],
  comma: ["、", ", "],
  semicolon: ["；", "; "],
  fromSignOn: ["由统一身份认证开通", "created by campus sign-on"],
  follows: [
    "此账号由统一身份认证开通，名称与权限以其为准，这里只能停用或启用。",
    "This account was created by campus sign-on, which also determines its name and rights. It can only be enabled or disabled here.",
  ],
  separated: [
    "已启用职责分离：每个账号只能选系统管理（查看至资金）、安全管理（账号）、审计管理（审计）之一；未限定权限的操作员与超级管理员只有安全管理。",
    "Separation of duties is on: each account has only the system (Read to Money), security (Accounts) or audit duty. Operators and super administrators without restricted rights have the security duty only.",
  ],
  help: [
    "资金：退款、登记缴费、缴费开关与对账。账号：管理账号、权限、会话与密钥。审计：审计日志。更改权限后对方需重新登录。",
    "Money: refunds, recording payments, allowing payment and reconciliation. Accounts: managing accounts, rights, sessions and keys. Audit: the audit log. Changing the rights signs the account out.",
  ],
});
