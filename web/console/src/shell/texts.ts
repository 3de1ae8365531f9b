import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  home: ["首页", "Home"],
  find: ["查找", "Find"],
  menu: ["导航菜单", "Navigation"],
  collapse: ["收起菜单", "Collapse the menu"],
  expand: ["展开菜单", "Expand the menu"],
  otherLanguage: ["English", "中文"],
  otherLanguageAbout: ["Switch to English", "切换到中文"],
  theme: ["外观", "Appearance"],
  themes: { light: ["浅色", "Light"], dark: ["深色", "Dark"], system: ["跟随系统", "System"] },
  account: (name: string) => [`账号 ${name}`, `Account ${name}`],
  ownPassword: ["修改密码", "Change password"],
  security: ["账号安全", "Account security"],
  signOut: ["退出登录", "Sign out"],
  reference: ["接口文档", "API reference"],
  skip: ["跳到主要内容", "Skip to content"],
  notFound: ["没有这个页面", "Page not found"],
  notFoundAbout: ["地址可能有误，或页面已移走。", "The address may be wrong, or the page may have moved."],
  forbidden: ["没有查看此页面的权限", "You do not have access to this page"],
  forbiddenAbout: [
    "如需此权限，请联系超级管理员，或换一个账号登录。",
    "Ask a super administrator for access, or sign in with another account.",
  ],
  toHome: ["返回首页", "Back to the home page"],
  broken: ["页面出错了", "Something went wrong on this page"],
  brokenAbout: [
    "已填写的内容可能丢失。刷新后重试；若持续出现，请联系操作员。",
    "What you entered may be lost. Reload and try again. If it keeps happening, contact an operator.",
  ],
  reload: ["刷新页面", "Reload"],
  loading: ["正在加载", "Loading"],
  lineDown: (time: string) => [
    `无法连接到服务器（${time} 起），正在重新连接。页面上的内容可能已过时。`,
    `The server has been unreachable since ${time}. Reconnecting; the page may be out of date.`,
  ],
  lineBack: ["连接已恢复", "Connection restored"],
});
