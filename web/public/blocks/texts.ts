import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    home: "首页",
    otherLanguage: "English",
    waiting: "正在加载…",
    retry: "重试",
    offline: "网络已断开。已显示的内容仍可查看，恢复后会自动继续。",
    optional: "选填",
    needed: "必填",
    more: "加载更多",
  },
  {
    home: "Home",
    otherLanguage: "中文",
    waiting: "Loading…",
    retry: "Retry",
    offline: "You are offline. What is shown can still be read; it goes on by itself once you are back.",
    optional: "optional",
    needed: "required",
    more: "Load more",
  },
);
