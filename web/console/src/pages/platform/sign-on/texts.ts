import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["统一身份认证", "Campus sign-on"],
  about: ["哪个校园身份可以登录哪个账号。", "Which campus identity signs in to which account."],
  off: [
    "尚未设置统一身份认证：设置 OIDC_ISSUER 与 OIDC_CLIENT_ID，或 CAS_URL，然后重启服务。",
    "Campus sign-on is not set up: set OIDC_ISSUER and OIDC_CLIENT_ID, or CAS_URL, then restart.",
  ],
  add: ["登记身份", "Add identity"],
  provider: ["来源", "Provider"],
  providers: { oidc: ["OpenID Connect", "OpenID Connect"], cas: ["CAS", "CAS"] },
  identity: ["校园身份", "Campus identity"],
  identityHelp: [
    "与统一身份认证平台给出的完全一致，区分大小写，如工号。",
    "Exactly as the provider gives it, upper and lower case included, such as a staff number.",
  ],
  service: ["账号所属", "Account of"],
  userName: ["用户名", "User name"],
  userNameHelp: ["须是已有的账号。", "Of an existing account."],
  issuer: ["签发者", "Issuer"],
  notInUse: ["已停用的来源", "Provider no longer in use"],
  createTime: ["登记时间", "Added"],
  lastUse: ["最近登录", "Last sign-in"],
  actions: ["操作", "Actions"],
  remove: ["删除", "Delete"],
  removeOf: (identity: string) => [`删除身份 ${identity}`, `Delete the identity ${identity}`],
  removeTitle: (identity: string) => [`删除身份“${identity}”？`, `Delete the identity “${identity}”?`],
  removeAbout: [
    "此身份不能再登录该账号，该账号的会话会立即结束。",
    "It can no longer sign in to the account, whose sessions end at once.",
  ],
  saved: ["已登记", "Added"],
  removed: ["已删除", "Deleted"],
  none: ["没有登记的身份", "No identities"],
  noneAbout: [
    "登记后，对方在登录页点击“统一身份认证”即可登录。未登记的身份不能登录，由 SIGN_ON_ROLES 自动开通账号的除外。",
    "Once added, people sign in with the button “Campus sign-on”. Others cannot, unless SIGN_ON_ROLES makes accounts for them.",
  ],
});
