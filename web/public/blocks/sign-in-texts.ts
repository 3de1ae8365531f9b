import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  demo: ["演示", "Demonstration (演示)"],
  signIn: ["登录", "Sign in"],
  ended: ["登录已过期", "Your session has expired"],
  signInAgain: ["重新登录", "Sign in again"],
  campusGoing: ["正在前往校园平台登录…", "Taking you to the campus platform to sign in…"],
  campusGo: ["用校园账号登录", "Sign in with the campus account"],
  campusMiniProgram: [
    "请从学校的小程序打开本页，由小程序完成登录。",
    "Please open this page from the school's mini program, which signs you in.",
  ],
  campusFailed: ["登录失败", "Sign-in failed"],
  outsider: ["您还没有登录", "You are not signed in"],
});
