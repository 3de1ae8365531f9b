import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  view: ["视图", "View"],
  views: { list: ["列表", "List"], trend: ["趋势", "Trend"] },
  lastDays: (count: number) => [`最近 ${count} 个统计日期`, count === 1 ? "Latest date" : `Latest ${count} dates`],
  nothing: [
    "还没有数据，录入或导入后显示趋势。",
    "No data yet. The trend appears once records are entered or imported.",
  ],
  others: ["其他", "Others"],
  summary: (title: string, from: string, to: string, latest: string, most: string, mostDay: string) => [
    `${title}：${from} 至 ${to}，最新 ${latest}，最高 ${most}（${mostDay}）`,
    `${title}: ${from} to ${to}, latest ${latest}, most ${most} (${mostDay})`,
  ],
});
