import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  home: ["首页", "Home"],
  otherLanguage: ["English", "中文"],
  waiting: ["正在加载…", "Loading…"],
  retry: ["重试", "Retry"],
  offline: [
    "网络已断开。已显示的内容仍可查看，恢复后会自动继续。",
    "You are offline. What is already shown can still be read; the page continues automatically once you are online again.",
  ],
  optional: ["选填", "optional"],
  more: ["加载更多", "Load more"],
  copy: ["复制链接", "Copy the link"],
  tellMe: ["接收通知", "Send me notices"],
  copied: ["已复制", "Copied"],
});
