import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    title: "检测统计",
    one: "检测统计",
    statisticsDate: "统计日期",
    startDate: "开始日期",
    endDate: "结束日期",
    peopleType: "人群类别",
    detectionCount: "检测人数",
    abnormalCount: "异常人数",
    updateTime: "更新时间",
    persons: "人",
    importTitle: "导入检测统计",
    import: "导入",
    importAbout:
      "表头：日期、人群类别、检测人数、异常人数。同一日期同一人群类别已有记录的行会被拒绝；有一行错误则全部不写入。",
    imported: (rows: string) => `已导入 ${rows} 条检测统计`,
    empty: "还没有检测统计",
    emptyAbout: "逐条新建，或下载模板填写后导入。",
  },
  {
    title: "Detection",
    one: "detection record",
    statisticsDate: "Date",
    startDate: "From",
    endDate: "To",
    peopleType: "Category of people",
    detectionCount: "Tested",
    abnormalCount: "Abnormal",
    updateTime: "Updated",
    persons: "people",
    importTitle: "Import detection records",
    import: "Import",
    importAbout:
      "Headings: 日期, 人群类别, 检测人数, 异常人数 (date, category, tested, abnormal). Rows whose date and category already exist are refused; if any row is wrong, nothing is imported.",
    imported: (rows: string) => `${rows} records imported`,
    empty: "No detection records yet",
    emptyAbout: "Add them one by one, or fill in the template and import it.",
  },
);
