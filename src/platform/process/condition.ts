import type { Bilingual } from "#platform/contract/language.ts";
import type { Figures, HealthPart, Part } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";

export interface Finding {
  /** Identifies what the finding is about, such as a project by its id; "" if there can be only one finding. */
  readonly subject: string;
  /**
   * A sentence without a full stop. It is sent to external channels, so it must contain nothing personal and no secret.
   */
  readonly says: Bilingual;
  readonly figures?: Readonly<Record<string, number | string>>;
}

export interface EvaluationContext<Own extends object = object> {
  readonly platform: Platform<Own>;
  readonly nowMs: number;
  readonly parts: readonly Part[];
}

/** A condition that may affect the state of a health part, raises alerts, and becomes a Prometheus rule. */
export interface Condition<Own extends object = object> {
  readonly name: string;
  readonly title: Bilingual;
  readonly remedy: Bilingual;
  /** `critical`: the part does not work; `warning`: the part works but needs attention. */
  readonly severity: "warning" | "critical";
  readonly of?: { readonly part: string; readonly holds: (figures: Figures) => boolean };
  readonly holdMinutes?: number;
  /** The condition concerns the machine, so each process evaluates it for its own machine. */
  readonly ofMachine?: true;
  find?(looking: EvaluationContext<Own>): Promise<readonly Finding[]>;
}

export interface NamedCondition extends Condition {
  readonly service: string;
  readonly id: string;
}

export const nameConditions = (service: string, conditions: readonly Condition[]): NamedCondition[] =>
  conditions.map((condition) => ({ ...condition, service, id: `${service}.${condition.name}` }));

export const isAbove = (value: unknown, most: number): boolean => typeof value === "number" && value > most;

/** The part is failed if it could not be read or a critical condition holds, and degraded if only a warning holds. */
export function judge(part: Part, conditions: readonly Condition[]): HealthPart {
  const { service = "platform", name, title, figures, unread } = part;
  const held = unread ? [] : conditions.filter(({ of }) => of?.part === name && of.holds(figures));
  const isFailed = unread || held.some(({ severity }) => severity === "critical");
  return { service, name, title, state: isFailed ? "failed" : held.length > 0 ? "degraded" : "ok", figures };
}
