import { countOf } from "#platform/contract/language.ts";
import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  home: ["首页", "Home"],
  greeting: (name: string) => [`${name}，您好`, `Hello, ${name}`],
  waiting: ["待办", "Waiting for you"],
  total: (count: string) => [`共 ${count} 件`, `${count} in total`],
  done: ["目前没有待办事项", "Nothing is waiting for you"],
  first: (name: string) => [`最早：${name}`, `Oldest: ${name}`],
  ages: {
    minutes: (count: number) => (count === 0 ? ["刚刚", "just now"] : [`已等 ${count} 分钟`, `${count} min`]),
    hours: (count: number) => [`已等 ${count} 小时`, `${count} h`],
    days: (count: number) => [`已等 ${count} 天`, countOf(count, "day")],
  },
  nothing: ["此账号没有可用的服务", "This account has no services"],
  nothingAbout: ["请联系操作员，为您分配服务。", "Ask an operator to give you access to a service."],
});
