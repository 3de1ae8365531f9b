import type { Bilingual } from "#platform/contract/language.ts";
import type { Db } from "#platform/database/index.ts";
import type { Platform } from "#platform/process/platform.ts";

export interface Addresses {
  readonly mail?: string | undefined;
  readonly userId?: string | undefined;
  readonly openId?: string | undefined;
  readonly phone?: string | undefined;
}

export type NoticeFields = Readonly<Record<string, string>>;

export interface Notice {
  /** Only one notice of a kind is sent for each key. */
  readonly key: string;
  /** The service's identifier of the person, by which notices are gathered and a person can opt out. */
  readonly person: string;
  readonly to: Addresses;
  readonly fields: NoticeFields;
}

export interface Reachable {
  readonly accountId: number;
  readonly may: (right: string) => boolean;
  readonly scope: Readonly<Record<string, readonly string[] | undefined>> | null;
  readonly to: Addresses;
}

export interface NoticeContext<Own extends object = object> {
  readonly platform: Platform<Own>;
  /** The time of the previous collection, minus a few minutes so that nothing is missed. */
  readonly since: Date;
  readonly now: Date;
  readonly day: string;
  readonly hour: number;
  readonly administrators: readonly Reachable[];
}

export interface NoticeKind<Own extends object = object> {
  readonly name: string;
  readonly title: Bilingual;
  readonly to: Bilingual;
  readonly when: Bilingual;
  /** The fields that the words may contain as {name}, with a label for each. */
  readonly fields: Readonly<Record<string, Bilingual>>;
  readonly subject: Bilingual;
  readonly text: Bilingual;
  /**
   * Notices to one person within this many minutes are sent as one message with this text, in which {count} is their
   * number.
   */
  readonly gather?: { readonly minutes: number; readonly text: Bilingual };
  readonly hours?: readonly number[];
  /** Yields the notices in batches of limited size. A notice that is found again is not sent again. */
  find(seeking: NoticeContext<Own>): AsyncIterable<readonly Notice[]>;
  latest(db: Db, zone: string): Promise<NoticeFields | undefined>;
}

export interface NamedNotice extends NoticeKind {
  readonly service: string;
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
