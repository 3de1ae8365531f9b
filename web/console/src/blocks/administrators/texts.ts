import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  administrators: ["管理员", "Administrators"],
  userName: ["用户名", "User name"],
  realName: ["姓名", "Name"],
  time: ["创建时间", "Created"],
  adminType: ["角色", "Role"],
  adminTypes: { super: ["超级管理员", "Super administrator"], plain: ["管理员", "Administrator"] },
  status: ["状态", "Status"],
  lastSuper: [
    "这是最后一个启用的超级管理员，不能停用、降级或删除。",
    "This is the last enabled super administrator, who cannot be disabled, demoted or deleted.",
  ],
  statuses: { off: ["已停用", "Disabled"], on: ["正常", "Active"] },
  actions: ["操作", "Actions"],
  create: ["新建管理员", "New administrator"],
  edit: ["编辑", "Edit"],
  editNamed: (name: string) => [`编辑管理员 ${name}`, `Edit administrator ${name}`],
  saved: ["已保存", "Saved"],
  remove: ["删除", "Delete"],
  removeNamed: (name: string) => [`删除管理员 ${name}`, `Delete administrator ${name}`],
  removeTitle: (name: string) => [`删除管理员“${name}”？`, `Delete the administrator “${name}”?`],
  removeAbout: ["此账号将立即退出登录，不能再登录。", "The account is signed out at once and can no longer sign in."],
  removed: ["已删除", "Deleted"],
  password: ["密码", "Password"],
  passwordHelp: [
    "8 到 128 个字符，不能是常见密码或用户名。请复制后交给对方，保存后不再显示。",
    "8 to 128 characters, not a common password or the user name. Copy it for the new administrator: it is not shown again.",
  ],
  passwordMayWait: [
    "8 到 128 个字符，不能是常见密码或用户名。请复制后交给对方，保存后不再显示；留空则暂时不能登录。",
    "8 to 128 characters, not a common password or the user name. Copy it for the new administrator: it is not shown again. Without a password the administrator cannot sign in yet.",
  ],
  passwordKeep: [
    "8 到 128 个字符，不能是常见密码或用户名。留空则保持原密码。",
    "8 to 128 characters, not a common password or the user name. Leave empty to keep the current password.",
  ],
  empty: ["还没有管理员", "No administrators yet"],
});
