import { setTimeout as delay } from "node:timers/promises";
import type { Room, Run, Target } from "./model.ts";
import type { Outlet } from "./outlet.ts";
import type { Sender } from "./sender.ts";

/** The ways out to the projects that have had something lately, each by its project's id. */
export type Outlets = Map<number, Outlet>;

export interface OutletMaking {
  readonly listTargets: (projectIds: readonly number[]) => Promise<readonly Target[]>;
  readonly openSender: (target: Target) => Sender;
  readonly openOutlet: (sender: Sender) => Outlet;
}

/** A project that has had nothing for so long, be it deleted or silent, is known anew when something comes. */
const forgetMs = 600_000;

/** Has outlets for the projects of runs, each with the settings that it was claimed by. */
export async function readyOutlets(outlets: Outlets, runs: readonly Run[], making: OutletMaking): Promise<void> {
  const stale = new Set<number>();
  for (const [{ projectId, revision }] of runs)
    if (outlets.get(projectId)?.sender.target.revision !== revision) stale.add(projectId);
  if (stale.size === 0) return;
  for (const target of await making.listTargets([...stale])) {
    const sender = making.openSender(target);
    const outlet = outlets.get(target.projectId);
    if (outlet) outlet.replaceSender(sender);
    else outlets.set(target.projectId, making.openOutlet(sender));
  }
}

export const readRooms = (outlets: Outlets): Map<number, Room> =>
  new Map([...outlets].map(([projectId, outlet]) => [projectId, outlet.readRoom()]));

export function forgetIdle(outlets: Outlets): void {
  for (const [projectId, outlet] of outlets) {
    if (outlet.readIdleMs() < forgetMs) continue;
    outlet.sender.close();
    outlets.delete(projectId);
  }
}

/** Ends all: what is under way has some time, and is cut off then; the rest is handed back. */
export async function finishOutlets(outlets: Outlets, withinMs: number): Promise<void> {
  const all = [...outlets.values()];
  for (const outlet of all) {
    outlet.handBack();
    outlet.stop();
  }
  const isBusy = () => all.some((outlet) => outlet.countUnderWay() > 0);
  const endMs = performance.now() + withinMs;
  while (isBusy() && performance.now() < endMs) await delay(10);
  for (const { sender } of all) sender.destroy();
  while (isBusy()) await delay(5);
}
