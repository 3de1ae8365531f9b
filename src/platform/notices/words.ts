import type { Bilingual, Language } from "#platform/contract/language.ts";
import type { Institution } from "#platform/process/institution.ts";
import type { NamedNotice, NoticeFields } from "#platform/process/notice.ts";

export type NoticeLanguage = Language | "both";

export interface Wording {
  readonly subject: string;
  readonly text: string;
  /**
   * The words may contain these fields as {name}; if the kind gathers notices, {count} is the number of notices in the
   * message.
   */
  readonly fields: NoticeFields;
}

// A line feed in a field must not start a new line of the message.
const fill = (words: string, fields: NoticeFields): string =>
  words.replaceAll(/\{(\w+)\}/g, (_, name: string) => (fields[name] ?? "").replaceAll(/\s+/g, " "));

interface Voice {
  readonly language: NoticeLanguage;
  readonly institution: Institution;
}

export function composeWording(
  kind: NamedNotice,
  fields: NoticeFields,
  count: number,
  { language, institution: { name, nameEn } }: Voice,
): Wording {
  const { subject, text: ofOne, gather } = kind;
  const all = gather ? { ...fields, count: String(count) } : fields;
  const text = gather && count > 1 ? gather.text : ofOne;
  const say = (words: Bilingual, between: string): string =>
    language === "both" ? `${fill(words.zh, all)}${between}${fill(words.en, all)}` : fill(words[language], all);
  // By custom, messages of Chinese offices begin with the sender.
  const from = name === "" ? "" : language === "en" ? `[${nameEn || name}] ` : `【${name}】`;
  return { subject: from + say(subject, " · "), text: say(text, "\n\n"), fields: all };
}

export function maskAddress(address: string): string {
  const at = address.indexOf("@");
  if (at > 0) return `${address.slice(0, 1)}***${address.slice(at)}`;
  if (/^\+?\d{7,}$/.test(address)) return `${address.slice(0, 3)}****${address.slice(-4)}`;
  return `${address.slice(0, Math.min(2, Math.floor(address.length / 2)))}***`;
}

const [quietFrom, quietTo] = [22, 7];

export function isQuietHours(nowMs: number, zone: string): boolean {
  const { hour } = Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);
  return hour >= quietFrom || hour < quietTo;
}
