import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";

/** Something that happens to whoever leads. */
export interface Fault {
  readonly name: string;
  /** Whether it is one of the network, for a ground with cables. */
  readonly needsCable: boolean;
  /** @returns what is done once another leads; what the house does, not the platform. */
  strike(cluster: Cluster, leader: number): Promise<(() => Promise<void>) | undefined>;
}

const nodeOf = ({ nodes }: Cluster, place: number) => nodes[place] ?? assert.fail();

/** How long the one that stands still or is cut off goes on to do so beside its successor. */
const besideMs = 5000;

const switchover: Fault = {
  name: "switchover by patronictl",
  needsCable: false,
  async strike(cluster) {
    await cluster.switchover();
    return undefined;
  },
};

const killed: Fault = {
  name: "kill -9 of PostgreSQL and Patroni",
  needsCable: false,
  async strike(cluster, leader) {
    await nodeOf(cluster, leader).signal("SIGKILL");
    return async () => nodeOf(cluster, leader).start();
  },
};

const stopped: Fault = {
  name: "SIGSTOP of both",
  needsCable: false,
  async strike(cluster, leader) {
    await nodeOf(cluster, leader).signal("SIGSTOP");
    return async () => {
      await delay(besideMs);
      await nodeOf(cluster, leader).signal("SIGCONT");
    };
  },
};

const cutOff: Fault = {
  name: "network gone",
  needsCable: true,
  async strike({ ground }, leader) {
    await ground.setCable?.(leader, "down");
    return async () => {
      await delay(besideMs);
      await ground.setCable?.(leader, "up");
    };
  },
};

export const faults: readonly Fault[] = [switchover, killed, stopped, cutOff];
