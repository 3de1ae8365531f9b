import type { Bilingual } from "#platform/contract/language.ts";
import type { Platform } from "#platform/process/platform.ts";

/** Something that a new installation must decide or provide before people rely on it. */
export interface SetupItem<Own extends object = object> {
  readonly name: string;
  readonly title: Bilingual;
  /** A sentence on the consequence of leaving the item undone. */
  readonly about: Bilingual;
  readonly page: string;
  isDone(platform: Platform<Own>): boolean | Promise<boolean>;
}

export interface NamedSetupItem extends SetupItem {
  readonly service: string;
  readonly id: string;
}

export const nameSetup = (service: string, items: readonly SetupItem[]): NamedSetupItem[] =>
  items.map((item) => ({ ...item, service, id: `${service}.${item.name}` }));
