import type { Bilingual } from "#platform/contract/language.ts";
import type { Db } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";

/** Known addresses of a person. */
export interface Addresses {
  readonly mail?: string | undefined;
  /** DingTalk or WeCom. */
  readonly userId?: string | undefined;
  /** WeChat or the campus platform. */
  readonly openId?: string | undefined;
  readonly phone?: string | undefined;
}

export type NoticeFields = Readonly<Record<string, string>>;

export interface Notice {
  /** Only one notice per kind and key is sent. */
  readonly key: string;
  /** The person's identifier at the service, for opt-outs and gathering. */
  readonly person: string;
  readonly to: Addresses;
  readonly fields: NoticeFields;
}

/** An administrator with an address who accepts notices. */
export interface Reachable {
  readonly accountId: number;
  /** Whether the account has a right at the service, such as "read". */
  readonly may: (right: string) => boolean;
  readonly scope: Readonly<Record<string, readonly string[] | undefined>> | null;
  readonly to: Addresses;
}

export interface NoticeContext<Own extends object = object> {
  readonly platform: Platform<Own>;
  /** The time of the last collection, minus a few minutes of overlap. */
  readonly since: Date;
  readonly now: Date;
  /** yyyy-MM-dd in the settings' time zone. */
  readonly day: string;
  /** The scheduled hour being collected. */
  readonly hour: number;
  /** Administrators of the service. */
  readonly administrators: readonly Reachable[];
}

/** A kind of notice that a service can send to persons when enabled. */
export interface NoticeKind<Own extends object = object> {
  /** Unique within the service, such as "loan-due". */
  readonly name: string;
  readonly title: Bilingual;
  readonly to: Bilingual;
  readonly when: Bilingual;
  /** Fields available in the words as {name}, with a label each. */
  readonly fields: Readonly<Record<string, Bilingual>>;
  readonly subject: Bilingual;
  readonly text: Bilingual;
  /** How long to collect notices to one person into one message; {count} is their number. */
  readonly gather?: { readonly minutes: number; readonly text: Bilingual };
  /** Hours of the day at which to collect; every minute if omitted. */
  readonly hours?: readonly number[];
  // Methods, as in ServiceModule.
  /** Yields the notices to send in bounded batches; repeated ones are sent once. */
  find(seeking: NoticeContext<Own>): AsyncIterable<readonly Notice[]>;
  /** The fields of the latest record, for a preview. */
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
