import { pushRelay } from "#shared/api/push-relay.ts";
import { Status, type Tone } from "#console/blocks/status.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { type RelayTexts, useTexts } from "#console/pages/push-relay/texts.ts";

export type Project = RecordOf<typeof pushRelay.listProjects>;
export type Health = RecordOf<typeof pushRelay.listProjectHealth>;
export type ProjectState = "valid" | "failing" | "invalid" | "paused" | "flagged";

const stateTones: Readonly<Record<ProjectState, Tone>> = {
  valid: "success",
  failing: "warning",
  invalid: "default",
  paused: "warning",
  flagged: "error",
};

/** Lists the project's states, the most severe first. "valid" or "failing" is listed only if no other state applies. */
export function listStates({ statu, paused, flagged, lastError }: Project): ProjectState[] {
  const states: ProjectState[] = [];
  if (flagged) states.push("flagged");
  if (statu === 1) states.push("invalid");
  if (paused) states.push("paused");
  if (states.length === 0) states.push(lastError === null ? "valid" : "failing");
  return states;
}

export const everyMs = 10_000;

export function useHealth(): ReadonlyMap<number, Health> {
  const { data = [] } = useRead(pushRelay.listProjectHealth, {}, { everyMs });
  return new Map(data.map((one) => [one.projectId, one]));
}

/** Returns the percentage of attempts that were delivered; undefined if there were no attempts. */
export function toRate({ delivered, failed }: Pick<Health, "delivered" | "failed">): number | undefined {
  const attempts = delivered + failed;
  return attempts === 0 ? undefined : (100 * delivered) / attempts;
}

/** Rounds down: 99.96 is "99.9%", since only a rate without failures is "100%". */
export function formatRate(rate: number): string {
  return `${rate === 100 ? "100" : (Math.floor(rate * 10) / 10).toFixed(1)}%`;
}

/** A missing value repeats the value before it; missing values at the start repeat the first known value. */
export function toCourse(values: readonly (number | null | undefined)[]): number[] {
  let last = values.find((value) => typeof value === "number") ?? 0;
  return values.map((value) => (last = value ?? last));
}

export const formatDuration = (ms: number, t: RelayTexts): string =>
  ms < 1000 ? t.ms(String(ms)) : t.seconds(String(Math.round(ms / 100) / 10));

export function ProjectStates({ project }: { readonly project: Project }) {
  const t = useTexts();
  return (
    <span className="q-facts">
      {listStates(project).map((state) => (
        <Status key={state} tone={stateTones[state]}>
          {t.states[state]}
        </Status>
      ))}
    </span>
  );
}
