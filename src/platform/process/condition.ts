import type { Bilingual } from "#platform/contract/language.ts";
import type { Figures, HealthPart, Part } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";

export interface Finding {
  /** The subject identifies the affected thing, such as a project's id; it is "" if there is only one. */
  readonly subject: string;
  /** The sentence is sent to external channels, so it must hold nothing personal and no secret. It has no full stop. */
  readonly says: Bilingual;
  readonly figures?: Readonly<Record<string, number | string>>;
}

export interface EvaluationContext<Own extends object = object> {
  readonly platform: Platform<Own>;
  readonly nowMs: number;
  readonly parts: readonly Part[];
}

/** Conditions determine the state of health components, alerts, and Prometheus rules. */
export interface Condition<Own extends object = object> {
  readonly name: string;
  readonly title: Bilingual;
  readonly remedy: Bilingual;
  /** critical means that the component does not work; warning that it works but needs attention. */
  readonly severity: "warning" | "critical";
  readonly of?: { readonly part: string; readonly holds: (figures: Figures) => boolean };
  readonly holdMinutes?: number;
  /** Each process evaluates the condition for its own machine. */
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

/** The component is failed if unreadable or a critical condition holds, and degraded if another does. */
export function judge(part: Part, conditions: readonly Condition[]): HealthPart {
  const { service = "platform", name, title, figures, unread } = part;
  const held = unread ? [] : conditions.filter(({ of }) => of?.part === name && of.holds(figures));
  const isFailed = unread || held.some(({ severity }) => severity === "critical");
  return { service, name, title, state: isFailed ? "failed" : held.length > 0 ? "degraded" : "ok", figures };
}
