import type { Bilingual } from "#platform/contract/language.ts";
import type { Db } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";

/** By what a person can be reached, as far as a service knows it. */
export interface Addresses {
  readonly mail?: string | undefined;
  /** At DingTalk and WeCom. */
  readonly userId?: string | undefined;
  /** At the messaging platform. */
  readonly openId?: string | undefined;
  readonly phone?: string | undefined;
}

/** What a notice says, by the names that the words of its kind use. */
export type NoticeFields = Readonly<Record<string, string>>;

export interface Notice {
  /** Of all notices of a kind with one key, one alone is sent. */
  readonly key: string;
  /** By what the service knows the person: whoever asked not to be told is known by it, and notices are gathered by it. */
  readonly person: string;
  readonly to: Addresses;
  readonly fields: NoticeFields;
}

/** An account that can be reached, and wants to be told. */
export interface Reachable {
  readonly accountId: number;
  /** Whether it has the right at the service, such as "read". */
  readonly may: (right: string) => boolean;
  readonly scope: Readonly<Record<string, readonly string[] | undefined>> | null;
  readonly to: Addresses;
}

export interface NoticeContext<Own extends object = object> {
  readonly platform: Platform<Own>;
  /** When it was last looked, with some minutes to spare. */
  readonly since: Date;
  readonly now: Date;
  /** Of the time zone of the settings, as yyyy-MM-dd. */
  readonly day: string;
  /** The hour of the kind for which it is looked. */
  readonly hour: number;
  /** The administrators of the service. */
  readonly administrators: readonly Reachable[];
}

/** Something that a service tells persons, once it is switched on. */
export interface NoticeKind<Own extends object = object> {
  /** Unique within the service, such as "loan-due". */
  readonly name: string;
  readonly title: Bilingual;
  readonly to: Bilingual;
  readonly when: Bilingual;
  /** What its words may name in braces, with a word for each. */
  readonly fields: Readonly<Record<string, Bilingual>>;
  readonly subject: Bilingual;
  readonly text: Bilingual;
  /** For so long after the first of them notices for one person wait, to be sent as one; {count} says how many they are. */
  readonly gather?: { readonly minutes: number; readonly text: Bilingual };
  /** At which hours of a day it is looked for; left out: each minute. */
  readonly hours?: readonly number[];
  // Methods, as those of a ServiceModule that take a service's own settings.
  /** Whom to tell, in batches: each of one statement, and as large as may be held. What it finds again is told once. */
  find(seeking: NoticeContext<Own>): AsyncIterable<readonly Notice[]>;
  /** The fields of the latest record that there is, to show how it reads. */
  latest(db: Db): Promise<NoticeFields | undefined>;
}

export interface NamedNotice extends NoticeKind {
  readonly service: string;
  /** Such as "library.loan-due". */
  readonly id: string;
}

export const nameNotices = (service: string, kinds: readonly NoticeKind[]): NamedNotice[] =>
  kinds.map((kind) => ({
    ...kind,
    find: kind.find.bind(kind),
    latest: kind.latest.bind(kind),
    service,
    id: `${service}.${kind.name}`,
  }));
