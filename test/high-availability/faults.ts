import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";

/** Something that happens to whoever leads. */
export interface Fault {
  readonly name: string;
  /** Whether it is one of the network, for a ground with cables. */
  readonly needsCable: boolean;
  strike(cluster: Cluster, leader: number): Promise<void>;
  /** Done once another leads; what the house does, not the platform. */
  heal?(cluster: Cluster, leader: number): Promise<void>;
}

/** How long the one that stands still or is cut off goes on to do so beside its successor. */
const besideMs = 5000;

export const faults: readonly Fault[] = [
  {
    name: "switchover by patronictl",
    needsCable: false,
    strike: (cluster) => cluster.switchover(),
  },
  {
    name: "kill -9 of PostgreSQL and Patroni",
    needsCable: false,
    strike: async ({ nodes }, leader) => nodes[leader]?.signal("SIGKILL"),
    heal: async ({ nodes }, leader) => nodes[leader]?.start(),
  },
  {
    name: "SIGSTOP of both",
    needsCable: false,
    strike: async ({ nodes }, leader) => nodes[leader]?.signal("SIGSTOP"),
    heal: ({ nodes }, leader) => delay(besideMs).then(() => nodes[leader]?.signal("SIGCONT")),
  },
  {
    name: "network gone",
    needsCable: true,
    strike: async ({ ground }, leader) => ground.setCable?.(leader, "down"),
    heal: ({ ground }, leader) => delay(besideMs).then(() => ground.setCable?.(leader, "up")),
  },
];
