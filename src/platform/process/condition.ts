import type { Bilingual } from "#platform/contract/language.ts";
import type { Figures, HealthPart, Part } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";

export interface Finding {
  /** Identifies the affected thing, such as a project's id; "" if there is only one. */
  readonly subject: string;
  /**
   * One sentence without a full stop. It is sent to external channels, so it must hold nothing personal and no secret.
   */
  readonly says: Bilingual;
  readonly figures?: Readonly<Record<string, number | string>>;
}

export interface EvaluationContext<Own extends object = object> {
  readonly platform: Platform<Own>;
  readonly nowMs: number;
  readonly parts: readonly Part[];
}

/**
 * A problem that needs attention. Conditions determine the state of health components, alerts, and Prometheus rules.
 */
export interface Condition<Own extends object = object> {
  /** Unique within the service, such as "shelf-empty". */
  readonly name: string;
  readonly title: Bilingual;
  readonly remedy: Bilingual;
  /** critical: the component does not work; warning: it works but needs attention. */
  readonly severity: "warning" | "critical";
  /** The health component and the figures for which the condition holds; if omitted, `find` decides. */
  readonly of?: { readonly part: string; readonly holds: (figures: Figures) => boolean };
  /** Minutes for which it must hold before an alert opens. */
  readonly holdMinutes?: number;
  /** Evaluated by each process for its own machine. */
  readonly ofMachine?: true;
  // A method, as in ServiceModule.
  /** The individual findings; the component as a whole if omitted. */
  find?(looking: EvaluationContext<Own>): Promise<readonly Finding[]>;
}

export interface NamedCondition extends Condition {
  /** "platform" for the platform's own. */
  readonly service: string;
  /** Such as "library.shelf-empty". */
  readonly id: string;
}

export const nameConditions = (service: string, conditions: readonly Condition[]): NamedCondition[] =>
  conditions.map((condition) => ({ ...condition, service, id: `${service}.${condition.name}` }));

export const isAbove = (value: unknown, most: number): boolean => typeof value === "number" && value > most;

/** Judges a component: failed if unreadable or a critical condition holds, degraded if another does. */
export function judge(part: Part, conditions: readonly Condition[]): HealthPart {
  const { service = "platform", name, title, figures, unread } = part;
  const held = unread ? [] : conditions.filter(({ of }) => of?.part === name && of.holds(figures));
  const isFailed = unread || held.some(({ severity }) => severity === "critical");
  return { service, name, title, state: isFailed ? "failed" : held.length > 0 ? "degraded" : "ok", figures };
}
