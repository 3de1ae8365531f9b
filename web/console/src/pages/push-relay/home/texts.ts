import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  pending: ["待投递", "Pending"],
  perMinute: ["每分钟投递", "Delivered per minute"],
  lastMinute: ["上一分钟", "in the last minute"],
  unit: ["条", ""],
});
