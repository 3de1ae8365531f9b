import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  odd: ["此人有需要核对的情况", "Something about this person is to be checked"],
  people: ["其他表中的此人", "In the other sheets"],
  peopleAbout: ["哪些行算作此人，凭什么", "Which rows are theirs, and why"],
  rows: (count: number) => [`${count} 行`, count === 1 ? "1 row" : `${count} rows`],
  by: {
    userId: ["UserId 相同", "same UserId"],
    workNum: ["工号相同", "same number"],
    name: ["姓名相同，请留意重名", "same name: mind namesakes"],
    match: ["手工对应", "matched by hand"],
    unknown: ["", ""],
  },
});
