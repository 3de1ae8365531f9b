import { createHash, randomUUID } from "node:crypto";
import type { Language } from "#platform/contract/language.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { NamedCondition } from "#platform/process/condition.ts";
import type { News } from "./store.ts";

/** What is sent, in the language of the settings. */
export interface Message {
  /** The same for the same news: a receiver knows a message again that comes twice. */
  readonly id: string;
  readonly event: "alerts" | "test";
  readonly title: string;
  /** A line each, the most pressing first. */
  readonly lines: readonly string[];
  /** What stands for the last so many lines, where there is no room for them. */
  readonly writeRest: (count: number) => string;
  /** Where all of it can be seen, if that is known. */
  readonly link: string | undefined;
  /** The same as data. */
  readonly alerts: readonly object[];
}

export type Lines = Pick<Message, "lines" | "writeRest" | "link">;

export interface Wording {
  readonly conditions: readonly NamedCondition[];
  readonly language: Language;
  readonly timeZone: string;
  readonly link: string | undefined;
}

/** The more there are, the less of each is read; the page has them all. */
const mostLines = 20;
const mostAlerts = 200;

const words = {
  zh: {
    title: (said: readonly string[]) => `Quintet ${said.join("，")}`,
    open: (count: number) => `${count} 项告警`,
    over: (count: number) => `${count} 项已恢复`,
    begun: (what: string, since: string) => `[告警] ${what}（自 ${since}）`,
    ended: (what: string, since: string, over: string) => `[恢复] ${what}（${since} 至 ${over}）`,
    colon: "：",
    rest: (count: number) => `另有 ${count} 项，见控制台。`,
    test: ["Quintet 告警测试", "收到此消息，说明该渠道可用。"],
  },
  en: {
    title: (said: readonly string[]) => `Quintet: ${said.join(", ")}`,
    open: (count: number) => `${count} ${count === 1 ? "alert" : "alerts"}`,
    over: (count: number) => `${count} over`,
    begun: (what: string, since: string) => `[alert] ${what} (since ${since})`,
    ended: (what: string, since: string, over: string) => `[over] ${what} (${since} to ${over})`,
    colon: ": ",
    rest: (count: number) => `And ${count} more, which the console shows.`,
    test: ["Quintet: a test of alerts", "Whoever reads this will be told of alerts."],
  },
} as const;

/** One message of all that is new, what is there before what is over. */
export function composeMessage(news: readonly News[], wording: Wording): Message {
  const sorted = news.toSorted((a, b) => Number(a.overAt !== null) - Number(b.overAt !== null));
  const open = sorted.filter(({ overAt }) => overAt === null).length;
  const over = news.length - open;
  const said = words[wording.language];
  return {
    id: identify(news),
    event: "alerts",
    title: said.title([...(open > 0 ? [said.open(open)] : []), ...(over > 0 ? [said.over(over)] : [])]),
    lines: sorted.map((one) => writeLine(one, wording)),
    writeRest: said.rest,
    link: wording.link,
    alerts: sorted.slice(0, mostAlerts).map((one) => toData(one, wording)),
  };
}

/** What the test button sends. */
export function composeTest({ language, link }: Wording): Message {
  const { test, rest: writeRest } = words[language];
  return { id: randomUUID(), event: "test", title: test[0], lines: [test[1]], writeRest, link, alerts: [] };
}

/** Out of what is told and nothing else: a message that is sent once more after a crash is known again. */
const identify = (news: readonly News[]): string =>
  createHash("sha256")
    .update(news.map(({ alertId, overAt }) => `${alertId} ${overAt === null ? "open" : "over"}`).join(","))
    .digest("hex")
    .slice(0, 32);

const titleOf = ({ condition }: News, { conditions, language }: Wording): string =>
  conditions.find(({ id }) => id === condition)?.title[language] ?? condition;

function writeLine(news: News, wording: Wording): string {
  const { language, timeZone } = wording;
  const { begun, ended, colon } = words[language];
  // A name that holds a line feed must not write a line of its own.
  const what = `${titleOf(news, wording)}${colon}${news.says[language].replaceAll(/\s+/g, " ")}`;
  const since = formatDateTime(news.since, timeZone);
  return news.overAt ? ended(what, since, formatDateTime(news.overAt, timeZone)) : begun(what, since);
}

/** As many whole lines as fit, with what stands for the rest, and the link. @param mostBytes of all, line feeds included */
export function fitLines({ lines, writeRest, link }: Lines, mostBytes = Number.POSITIVE_INFINITY): string[] {
  for (let kept = Math.min(mostLines, lines.length); ; kept--) {
    const rest = lines.length - kept;
    const all = [
      ...lines.slice(0, kept),
      ...(rest > 0 ? [writeRest(rest)] : []),
      ...(link === undefined ? [] : [link]),
    ];
    if (kept === 0 || Buffer.byteLength(all.join("\n")) <= mostBytes) return all;
  }
}

const toData = (news: News, wording: Wording): object => ({
  id: news.alertId,
  condition: news.condition,
  title: titleOf(news, wording),
  subject: news.subject,
  state: news.overAt === null ? "open" : "over",
  says: news.says[wording.language],
  figures: news.figures,
  since: news.since.toISOString(),
  overAt: news.overAt?.toISOString() ?? null,
});
