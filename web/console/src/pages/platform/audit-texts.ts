import { defineTexts } from "#shared/language/language.ts";

export const auditTexts = defineTexts({
  commandLine: ["命令行", "Command line"],
  firstStart: ["首次启动", "First start"],
  here: ["服务器本机", "On the server"],
  record: ["记录编号", "Record"],
  recordHelp: ["完整编号", "Its whole id"],
  what: ["记录种类", "Kind of record"],
  whatHelp: [
    "与记录编号一起使用：不同种类的记录可能编号相同",
    "Together with the record: others of another kind may have the same id",
  ],
  historyOf: (record: string) => [`记录 ${record} 的全部日志`, `All lines about ${record}`],
  exportLines: ["导出 JSON", "Export JSON"],
  changes: ["修改前后", "Before and after"],
  field: ["字段", "Field"],
  before: ["修改前", "Before"],
  after: ["修改后", "After"],
  nothing: ["（空）", "(empty)"],
  notShown: ["不显示", "Not shown"],
  yes: ["是", "Yes"],
  no: ["否", "No"],
  moreChanged: (count: number) => [`另有 ${count} 条记录也已修改`, `${count} more records were changed`],
});
