import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  pending: ["待投递", "Pending"],
  dead: ["投递失败", "Failed"],
  perMinute: ["每分钟投递", "Delivered per minute"],
  lastMinute: ["上一分钟", "in the last minute"],
  flagged: ["持续失败的项目", "Projects that keep failing"],
  unit: ["条", ""],
  projects: ["个", ""],
});
