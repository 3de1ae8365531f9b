import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["检测统计", "Detection"],
  one: ["检测统计", "detection record"],
  statisticsDate: ["统计日期", "Date"],
  startDate: ["开始日期", "From"],
  endDate: ["结束日期", "To"],
  peopleType: ["人群类别", "Category of people"],
  detectionCount: ["检测人数", "Tested"],
  abnormalCount: ["异常人数", "Abnormal"],
  updateTime: ["更新时间", "Updated"],
  persons: ["人", "people"],
  importTitle: ["导入检测统计", "Import detection records"],
  import: ["导入", "Import"],
  importAbout: [
    "表头：日期、人群类别、检测人数、异常人数。同一日期同一人群类别已有记录的行会被拒绝；有一行错误则全部不写入。",
    "Headings: 日期, 人群类别, 检测人数, 异常人数 (date, category, tested, abnormal). Rows whose date and category already exist are refused; if any row is wrong, nothing is imported.",
  ],
  imported: (rows: string) => [`已导入 ${rows} 条检测统计`, `${rows} records imported`],
  empty: ["还没有检测统计", "No detection records yet"],
  emptyAbout: ["逐条新建，或下载模板填写后导入。", "Add them one by one, or fill in the template and import it."],
});
