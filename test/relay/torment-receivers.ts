import { setTimeout as delay } from "node:timers/promises";
import type { Arrival } from "./ledger.ts";
import { type Behaviour, type Receiver, startReceiver } from "./receiver.ts";

export const projectNames = ["healthy", "slow", "flapping", "dead", "gone", "redirecting"] as const;
export type ProjectName = (typeof projectNames)[number];
export const soundProjects = ["healthy", "slow", "flapping"] as const;

export interface TormentReceiver {
  readonly receiver: Receiver;
  readonly arrivals: Arrival[];
}

export async function startReceivers(random: () => number): Promise<Record<ProjectName, TormentReceiver>> {
  const behaviours: Record<ProjectName, Behaviour> = {
    healthy: () => 200,
    slow: () => delay(20, 204),
    flapping: (_push, response) => {
      const dice = random();
      if (dice >= 0.2) return 200;
      return dice >= 0.1 ? 503 : void response.destroy();
    },
    dead: () => 500,
    gone: () => 410,
    redirecting: (_push, response) => void response.writeHead(302, { location: "http://127.0.0.2/" }).end(),
  };
  const entries = await Promise.all(
    projectNames.map(async (name) => [name, await startNoting(behaviours[name])] as const),
  );
  return Object.fromEntries(entries) as Record<ProjectName, TormentReceiver>;
}

async function startNoting(behaviour: Behaviour): Promise<TormentReceiver> {
  const arrivals: Arrival[] = [];
  const receiver = await startReceiver(async (push, response) => {
    const status = await behaviour(push, response);
    const { card_number: subject, n } = push.json.data;
    const taken = typeof status === "number" && status < 300;
    arrivals.push({ id: push.json.id, subject, n, taken });
    push.forget();
    return status;
  });
  return { receiver, arrivals };
}
