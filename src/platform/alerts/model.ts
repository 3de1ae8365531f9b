import type { Bilingual, Language } from "#platform/contract/language.ts";
import type { AlertCondition } from "#platform/process/alert.ts";

/** A condition with whose it is. */
export interface NamedCondition extends AlertCondition {
  /** The service, "platform" for the platform's own. */
  readonly service: string;
  /** The service and its name of the condition, such as "library.shelf-empty". */
  readonly id: string;
}

export const nameConditions = (service: string, conditions: readonly AlertCondition[]): NamedCondition[] =>
  conditions.map((condition) => ({
    ...condition,
    find: (looking) => condition.find(looking),
    service,
    id: `${service}.${condition.name}`,
  }));

export const channelKinds = ["webhook", "mail", "wecom", "dingtalk"] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** Where alerts are told. */
export interface Channel {
  readonly id: number;
  readonly name: string;
  readonly kind: ChannelKind;
  /** An address of the web; of kind mail, addresses separated by commas. */
  readonly address: string;
  readonly secret: string;
  /** Null: all. */
  readonly conditions: readonly string[] | null;
  readonly language: Language;
  readonly enabled: boolean;
}

/** What a channel has not been told of an alert yet: that it is there, or that it is over. */
export interface News {
  readonly alertId: number;
  readonly condition: string;
  readonly subject: string;
  readonly says: Bilingual;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly since: Date;
  readonly openedAt: Date;
  readonly overAt: Date | null;
}

/** What is sent, in the channel's language. */
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
