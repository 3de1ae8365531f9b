import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["活动策划", "Activity plans"],
  one: ["活动策划", "activity plan"],
  planTitle: ["活动名称", "Title"],
  startTime: ["开始时间", "Start time"],
  publishTime: ["发布时间", "Published"],
  publishTimeHelp: ["不填写则为当前时间", "Now if left empty"],
  content: ["活动内容", "Content"],
  from: ["开始时间不早于", "Starts on or after"],
  until: ["开始时间不晚于", "Starts on or before"],
  views: { list: ["列表", "List"], months: ["月历", "Calendar"] },
  view: ["查看方式", "View"],
  empty: ["还没有活动策划", "No activity plans yet"],
  emptyAbout: ["新建后，从本月起的活动会显示在大屏上。", "Plans from this month on appear on the big screen."],
  previousMonth: ["上个月", "Previous month"],
  nextMonth: ["下个月", "Next month"],
  thisMonth: ["本月", "This month"],
  month: ["月份", "Month"],
  weekdays: [
    ["周一", "周二", "周三", "周四", "周五", "周六", "周日"],
    ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
  ],
  monthName: (year: number, month: number) => [
    `${year} 年 ${month} 月`,
    new Date(Date.UTC(year, month - 1)).toLocaleDateString("en-GB", {
      month: "long",
      year: "numeric",
      timeZone: "UTC",
    }),
  ],
  planned: (count: number) => [`本月 ${count} 场活动`, `${count} planned`],
  nothingPlanned: ["这个月没有活动。", "Nothing is planned for this month."],
  newOn: (day: string) => [`在 ${day} 新建活动`, `New plan on ${day}`],
  more: (count: number) => [`还有 ${count} 场`, `${count} more`],
});
