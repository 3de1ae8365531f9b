import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  scope: ["数据范围", "Scope of records"],
  all: ["不限", "All"],
  nothing: ["先选择可管理的服务", "Choose services first"],
  help: [
    "只能看到和修改所选范围内的数据，不选则不限。列表中没有的值可直接输入。更改后对方需重新登录。",
    "The account can only see and change records with these values; if none are selected, all records. Values that are not listed can be typed. Changes sign the account out.",
  ],
  own: (words: string) => [`只显示您负责的数据（${words}）`, `Only records in your scope are shown (${words})`],
  pair: (label: string, values: string) => [`${label}：${values}`, `${label}: ${values}`],
  semicolon: ["；", "; "],
});
