import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  emptyAbout: ["由操作员或超级管理员新建。", "An operator or a super administrator adds them."],
});
