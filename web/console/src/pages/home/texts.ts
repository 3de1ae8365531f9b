import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    home: "首页",
    greeting: (name: string) => `${name}，您好`,
    nothing: "此账号没有可用的服务",
    nothingAbout: "请联系操作员，为您分配服务。",
  },
  {
    home: "Home",
    greeting: (name: string) => `Hello, ${name}`,
    nothing: "This account has no services",
    nothingAbout: "Ask an operator to give you access to a service.",
  },
);
