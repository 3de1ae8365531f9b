import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    odd: "此人有需要核对的情况",
    people: "其他表中的此人",
    peopleAbout: "哪些行算作此人，凭什么",
    rows: (count: number) => `${count} 行`,
    by: {
      userId: "UserId 相同",
      workNum: "工号相同",
      name: "姓名相同，请留意重名",
      match: "手工对应",
      unknown: "",
    },
  },
  {
    odd: "Something about this person is to be checked",
    people: "In the other sheets",
    peopleAbout: "Which rows are theirs, and why",
    rows: (count: number) => (count === 1 ? "1 row" : `${count} rows`),
    by: {
      userId: "same UserId",
      workNum: "same number",
      name: "same name: mind namesakes",
      match: "matched by hand",
      unknown: "",
    },
  },
);
