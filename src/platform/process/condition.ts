import type { Bilingual } from "#platform/contract/language.ts";
import type { Figures, HealthPart, Part } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";

export interface Finding {
  /** Such as a project's id: by it the same trouble is known again. "" where there is but one. */
  readonly subject: string;
  /** What is wrong, in a sentence without its full stop. It is sent to others: nothing personal, no secret. */
  readonly says: Bilingual;
  readonly figures?: Readonly<Record<string, number | string>>;
}

export interface EvaluationContext<Own extends object = object> {
  readonly platform: Platform<Own>;
  readonly nowMs: number;
  readonly parts: readonly Part[];
}

/**
 * Something that somebody should look after. The list of them says how each part of health is, what operators are told of
 * when it comes and when it is over, and what Prometheus wakes somebody for.
 */
export interface Condition<Own extends object = object> {
  /** Unique within the service, such as "shelf-empty". */
  readonly name: string;
  readonly title: Bilingual;
  readonly remedy: Bilingual;
  /** critical: what it is about does not work. warning: it does, and somebody should look. */
  readonly severity: "warning" | "critical";
  /** The part of health that it is about, and by which of its figures it holds; left out, `find` alone knows. */
  readonly of?: { readonly part: string; readonly holds: (figures: Figures) => boolean };
  /** The least number of minutes that it must hold before anybody is told. */
  readonly holdMinutes?: number;
  /** It is about the machine: each process looks for itself, and findings of others stay. */
  readonly ofMachine?: true;
  // A method, as those of a ServiceModule that take a service's own settings.
  /** What it holds of, one by one; left out: the part as a whole. */
  find?(looking: EvaluationContext<Own>): Promise<readonly Finding[]>;
}

export interface NamedCondition extends Condition {
  /** The service, "platform" for the platform's own. */
  readonly service: string;
  /** The service and its name of the condition, such as "library.shelf-empty". */
  readonly id: string;
}

export const nameConditions = (service: string, conditions: readonly Condition[]): NamedCondition[] =>
  conditions.map((condition) => ({ ...condition, service, id: `${service}.${condition.name}` }));

export const isAbove = (value: unknown, most: number): boolean => typeof value === "number" && value > most;

/** How a part is: failed where nobody could say or a critical condition of it holds, degraded where another does. */
export function judge(part: Part, conditions: readonly Condition[]): HealthPart {
  const { service = "platform", name, title, figures, unread } = part;
  const held = unread ? [] : conditions.filter(({ of }) => of?.part === name && of.holds(figures));
  const isFailed = unread || held.some(({ severity }) => severity === "critical");
  return { service, name, title, state: isFailed ? "failed" : held.length > 0 ? "degraded" : "ok", figures };
}
