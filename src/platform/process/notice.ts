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
  /** Only one notice per kind and key is sent. */
  readonly key: string;
  /** The service's identifier of the person serves for opt-outs and for gathering. */
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
  /** This is the time of the last collection, moved back by a few minutes so that nothing is missed. */
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
  /** The words may contain these fields as {name}; each has a label. */
  readonly fields: Readonly<Record<string, Bilingual>>;
  readonly subject: Bilingual;
  readonly text: Bilingual;
  /** Notices to one person are collected for this many minutes into one message; {count} is their number. */
  readonly gather?: { readonly minutes: number; readonly text: Bilingual };
  readonly hours?: readonly number[];
  /** Yields bounded batches. A notice that is repeated is sent once. */
  find(seeking: NoticeContext<Own>): AsyncIterable<readonly Notice[]>;
  latest(db: Db): Promise<NoticeFields | undefined>;
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
