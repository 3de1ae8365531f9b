import { execFile } from "node:child_process";
import { promisify } from "node:util";

// The three nodes have loopback addresses or, if a test disconnects single nodes, network namespaces on a bridge.

export const loopback = {
  hosts: ["127.0.0.1", "127.0.0.2", "127.0.0.3"],
  outside: "127.0.0.1",
  network: "127.0.0.0/8",
  hasCables: false,
  commandAt: (_node: number): string[] => [],
  setCable: async (_node: number, _state: "up" | "down"): Promise<void> => {},
  close: async (): Promise<void> => {},
};
export type Ground = typeof loopback;

const nodes = [1, 2, 3];
const spaceOf = (node: number): string => `quintet-ha-${node}`;
const cableOf = (node: number): string => `qha${node}`;
const bridge = "qha0";
const prefix = "10.213.77";

const ip = (words: string) => promisify(execFile)("ip", words.split(" "));

/**
 * Removes the namespaces that a killed run left, and opens new ones.
 * @throws {Error} unless the process runs as root
 */
export async function openNamespaces(): Promise<Ground> {
  await removeNamespaces();
  await ip(`link add ${bridge} type bridge`);
  await ip(`addr add ${prefix}.254/24 dev ${bridge}`);
  await ip(`link set ${bridge} up`);
  for (const node of nodes) {
    const space = spaceOf(node);
    await ip(`netns add ${space}`);
    await ip(`link add ${cableOf(node)} type veth peer name eth0 netns ${space}`);
    await ip(`link set ${cableOf(node)} master ${bridge} up`);
    await ip(`-n ${space} addr add ${prefix}.${node}/24 dev eth0`);
    await ip(`-n ${space} link set eth0 up`);
    await ip(`-n ${space} link set lo up`);
  }
  return {
    hosts: nodes.map((node) => `${prefix}.${node}`),
    outside: `${prefix}.254`,
    network: `${prefix}.0/24`,
    hasCables: true,
    commandAt: (node) => ["ip", "netns", "exec", spaceOf(node + 1)],
    setCable: async (node, state) => void (await ip(`link set ${cableOf(node + 1)} ${state}`)),
    close: removeNamespaces,
  };
}

async function removeNamespaces(): Promise<void> {
  const removals = nodes.flatMap((node) => [`netns del ${spaceOf(node)}`, `link del ${cableOf(node)}`]);
  for (const removal of [...removals, `link del ${bridge}`]) await ip(removal).catch(() => undefined);
}
