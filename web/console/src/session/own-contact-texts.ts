import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  title: ["接收通知", "Notices to you"],
  about: [
    "系统有需要您知道的事时（如待办），按这里的地址通知您。都不填则收不到。",
    "Where you are told of what concerns you, such as what waits for you. With no address you are told nothing.",
  ],
  told: ["接收通知", "Tell me"],
  mail: ["邮箱", "Mail address"],
  userId: ["钉钉或企业微信的 UserId", "UserId at DingTalk or WeCom"],
  userIdHelp: ["可向钉钉或企业微信的管理员查询", "Whoever looks after DingTalk or WeCom knows it"],
  phone: ["手机号", "Phone number"],
  save: ["保存", "Save"],
  saved: ["已保存", "Saved"],
});
