import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  home: ["首页", "Home"],
  greeting: (name: string) => [`${name}，您好`, `Hello, ${name}`],
  nothing: ["此账号没有可用的服务", "This account has no services"],
  nothingAbout: ["请联系操作员，为您分配服务。", "Ask an operator to give you access to a service."],
});
