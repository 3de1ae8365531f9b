import type { Bilingual } from "#platform/contract/language.ts";
import type { HealthPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";

/** That a condition holds of something, now. */
export interface Finding {
  /** What it holds of, such as a project's id: by it the same trouble is known again. "" where there is but one. */
  readonly subject: string;
  /** What is wrong, in a sentence without its full stop. It is sent to others: nothing personal, no secret. */
  readonly says: Bilingual;
  readonly figures?: Readonly<Record<string, number | string>>;
}

/** The figure of a condition that an operator may choose. */
export interface Threshold {
  readonly unit: Bilingual;
  readonly least: number;
  readonly most: number;
  readonly standard: number;
}

/** What a condition is looked for with. */
export interface Looking<Own extends object = object> {
  readonly platform: Platform<Own>;
  readonly nowMs: number;
  /** As it is chosen; 0 for a condition without. */
  readonly threshold: number;
  readonly listHealth: () => Promise<readonly HealthPart[]>;
}

/** Something that operators want to be told of when it comes, and when it is over. */
export interface AlertCondition<Own extends object = object> {
  /** Unique within the service, such as "shelf-empty". */
  readonly name: string;
  readonly title: Bilingual;
  /** What to do about it. */
  readonly remedy: Bilingual;
  readonly threshold?: Threshold;
  /** The least number of minutes that it must hold before anybody is told; "threshold": as many as that says. */
  readonly holdMinutes?: number | "threshold";
  /** It is about the machine: each process looks for itself, and findings of others stay. */
  readonly ofMachine?: true;
  /** The part of health whose state "degraded" it tells of, so that the part does not tell it again. */
  readonly part?: string;
  // A method, as those of a ServiceModule that take a service's own settings.
  find(looking: Looking<Own>): Promise<readonly Finding[]>;
}
