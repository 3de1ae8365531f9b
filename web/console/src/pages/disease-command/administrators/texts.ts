import { defineTexts } from "#console/language/language.ts";

export const texts = defineTexts(
  {
    title: "管理员",
    one: "管理员",
    userName: "用户名",
    adminType: "类型",
    adminTypes: { "0": "超级管理员", "1": "普通管理员" },
    status: "状态",
    statuses: { "0": "已冻结", "1": "正常" },
    password: "密码",
    passwordHelp: "8 至 128 个字符，不能是常见密码或用户名",
    passwordKeep: "不填写则保持原密码；填写后，该管理员的登录全部失效",
    removeAbout: "该管理员会立即退出登录，删除后不能恢复。",
    empty: "还没有管理员",
    emptyAbout: "由平台运维人员或超级管理员新建。",
  },
  {
    title: "Administrators",
    one: "administrator",
    userName: "User name",
    adminType: "Type",
    adminTypes: { "0": "Super administrator", "1": "Administrator" },
    status: "Status",
    statuses: { "0": "Frozen", "1": "Normal" },
    password: "Password",
    passwordHelp: "8 to 128 characters, no common password and not the user name",
    passwordKeep: "Left empty, the password stays; a new one ends every session of the administrator",
    removeAbout: "They are signed out at once. This cannot be undone.",
    empty: "No administrators yet",
    emptyAbout: "An operator or a super administrator adds them.",
  },
);
