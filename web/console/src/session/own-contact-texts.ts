import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  title: ["接收通知", "Notices to you"],
  about: [
    "有与您有关的事项（如待办）时，系统按以下地址通知您；都不填写则不会收到通知。",
    "The system notifies you at these addresses of matters that concern you, such as pending tasks. Without an address you receive no notices.",
  ],
  told: ["接收通知", "Receive notices"],
  mail: ["邮箱", "Email address"],
  userId: ["钉钉或企业微信的 UserId", "DingTalk or WeCom UserId"],
  userIdHelp: ["可向钉钉或企业微信的管理员查询", "Ask your DingTalk or WeCom administrator for it"],
  phone: ["手机号", "Phone number"],
  save: ["保存", "Save"],
  saved: ["已保存", "Saved"],
});
