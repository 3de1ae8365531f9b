import type { Bilingual } from "#platform/contract/language.ts";
import type { Platform } from "#platform/process/platform.ts";

/** Something that a new installation has to decide or to bring in before people rely on it. */
export interface SetupItem<Own extends object = object> {
  /** Unique within the service, such as "first-import". */
  readonly name: string;
  readonly title: Bilingual;
  /** What is at stake, in a sentence. */
  readonly about: Bilingual;
  /** The address below /console where it is done. */
  readonly page: string;
  // A method, as those of a ServiceModule that take a service's own settings.
  isDone(platform: Platform<Own>): boolean | Promise<boolean>;
}

export interface NamedSetupItem extends SetupItem {
  readonly service: string;
  /** The service and its name of the item, such as "library.first-import". */
  readonly id: string;
}

export const nameSetup = (service: string, items: readonly SetupItem[]): NamedSetupItem[] =>
  items.map((item) => ({ ...item, service, id: `${service}.${item.name}` }));
