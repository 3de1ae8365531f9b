import { createHash, randomUUID } from "node:crypto";
import type { Language } from "#platform/contract/language.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Message, NamedCondition, News } from "./model.ts";

export interface Wording {
  readonly conditions: readonly NamedCondition[];
  readonly language: Language;
  readonly timeZone: string;
  /** Where the console's page is; undefined where nobody has said how the server is reached. */
  readonly link: string | undefined;
}

/** The more there are, the less of each is read; the page has them all. */
const mostLines = 20;
const mostAlerts = 200;

/** One message of all that is new, what is there before what is over. */
export function composeMessage(news: readonly News[], wording: Wording): Message {
  const sorted = news.toSorted((a, b) => Number(a.overAt !== null) - Number(b.overAt !== null));
  const open = sorted.filter(({ overAt }) => overAt === null).length;
  return {
    id: identify(news),
    event: "alerts",
    title: writeTitle(open, news.length - open, wording.language),
    lines: sorted.map((one) => writeLine(one, wording)),
    ...writeEnd(wording),
    alerts: sorted.slice(0, mostAlerts).map((one) => toData(one, wording)),
  };
}

/** What the test button sends. */
export const composeTest = (wording: Wording): Message => ({
  id: randomUUID(),
  event: "test",
  title: wording.language === "zh" ? "Quintet 告警测试" : "Quintet: a test of alerts",
  lines: [wording.language === "zh" ? "收到此消息，说明该渠道可用。" : "Whoever reads this will be told of alerts."],
  ...writeEnd(wording),
  alerts: [],
});

/** Out of what is told and nothing else: a message that is sent once more after a crash is known again. */
const identify = (news: readonly News[]): string =>
  createHash("sha256")
    .update(news.map(({ alertId, overAt }) => `${alertId} ${overAt === null ? "open" : "over"}`).join(","))
    .digest("hex")
    .slice(0, 32);

function writeTitle(open: number, over: number, language: Language): string {
  const parts =
    language === "zh"
      ? [open > 0 && `${open} 项告警`, over > 0 && `${over} 项已恢复`]
      : [open > 0 && `${open} ${open === 1 ? "alert" : "alerts"}`, over > 0 && `${over} over`];
  const said = parts.filter((part) => part !== false);
  return language === "zh" ? `Quintet ${said.join("，")}` : `Quintet: ${said.join(", ")}`;
}

function writeLine(news: News, { conditions, language, timeZone }: Wording): string {
  const title = conditions.find(({ id }) => id === news.condition)?.title[language] ?? news.condition;
  // A name that holds a line feed must not write a line of its own.
  const says = news.says[language].replaceAll(/\s+/g, " ");
  const [since, over] = [news.since, news.overAt].map((at) => at && formatDateTime(at, timeZone));
  if (language === "zh")
    return over ? `[恢复] ${title}：${says}（${since} 至 ${over}）` : `[告警] ${title}：${says}（自 ${since}）`;
  return over ? `[over] ${title}: ${says} (${since} to ${over})` : `[alert] ${title}: ${says} (since ${since})`;
}

const writeEnd = ({ link, language }: Wording): Pick<Message, "link" | "writeRest"> => ({
  link,
  writeRest: (count) =>
    language === "zh" ? `另有 ${count} 项，见控制台。` : `And ${count} more, which the console shows.`,
});

/** As many whole lines as fit, with what stands for the rest, and the link. @param mostBytes of all, line feeds included */
export function fitLines({ lines, writeRest, link }: Message, mostBytes = Number.POSITIVE_INFINITY): string[] {
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

const toData = (news: News, { conditions, language }: Wording): object => ({
  id: news.alertId,
  condition: news.condition,
  title: conditions.find(({ id }) => id === news.condition)?.title[language] ?? news.condition,
  subject: news.subject,
  state: news.overAt === null ? "open" : "over",
  says: news.says[language],
  figures: news.figures,
  since: news.since.toISOString(),
  overAt: news.overAt?.toISOString() ?? null,
});
