import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { CampusEvent } from "#services/push-relay/campus-contract.ts";
import { encrypt } from "#services/push-relay/cipher.ts";
import { createRelay } from "#services/push-relay/delivery/index.ts";
import type { RelayPlatform, RelaySettings } from "#services/push-relay/settings.ts";
import { openLocalServer } from "./local-server.ts";
import type { Demonstration, DemoTools } from "./tools.ts";

const schoolCode = "1000000001";
const patienceMs = 30_000;

const organisations = ["示例大学", "虚构信息学院", "样板文学院", "演示图书馆"];
const people = ["测试员甲", "测试员乙", "测试员丙", "测试员丁", "测试员戊", "测试员己", "测试员庚", "测试员辛"];

const liveProject = "演示：图书馆系统";

type DemoEvent = readonly [CampusEvent, Readonly<Record<string, unknown>>];

const person = (index: number, more: Readonly<Record<string, unknown>> = {}) => ({
  card_number: `0730${2590 + index}`,
  name: people[index],
  identity_type: 1,
  organization: [101 + (index % 3)],
  ...more,
});

function makeEvents(): DemoEvent[] {
  return [
    ...organisations.map((name, index): DemoEvent => ["addOrg", { id: 100 + index, name, parent_id: index && 100 }]),
    ...people.map((_, index): DemoEvent => ["addUser", person(index)]),
    ...[0, 1, 2].map((index): DemoEvent => ["updateUser", person(index, { grade: "2026级" })]),
    ["updateOrg", { id: 103, name: "演示图书与档案馆", parent_id: 100 }],
    ["deleteUser", { card_number: person(7).card_number }],
  ];
}

async function load({ call, say }: DemoTools, platform: RelayPlatform): Promise<void> {
  const present = (await call("GET", "/wx/push/queryPushProject")) as { readonly statu: number }[];
  if (present.some(({ statu }) => statu === 0))
    return say("push relay: skipped, because existing projects would receive the fictitious events");
  const receiver = await openReceiver();
  const projects = new Set<number>();
  // The loading runs its own relay, since a server that is already running may not allow pushes to the loopback
  // address.
  const relay = createRelay(platform);
  relay.start();
  const join = async (path: string, project: string): Promise<number> => {
    const id = Number(await call("POST", "/wx/push/addPushProject", { url: receiver.url + path, project }));
    projects.add(id);
    return id;
  };
  try {
    const events = makeEvents();
    await join("/library", liveProject);
    await pushAll(call, events);
    const reached = await receiver.waitFor("/library", events.length);
    const late = await join("/dormitory", "演示：后来加入的宿舍系统");
    const known = Number(await call("POST", `/wx/push/project/backfill?id=${late}`));
    const caughtUp = await receiver.waitFor("/dormitory", known);
    say(
      `push relay: sent ${events.length} events of a fictitious campus, of which a local project received ${reached}; ` +
        `a project added later received ${caughtUp} of ${known} people and organisations by a backfill`,
    );
  } finally {
    // The receiver ends here, so the projects are made invalid; the delivery log stays as it is.
    for (const id of projects) await call("PUT", "/wx/push/updatePushProject", { id, statu: 1 });
    await relay.stop();
    await receiver.close();
  }
}

async function wake({ call, say }: DemoTools): Promise<void> {
  const projects = (await call("GET", "/wx/push/queryPushProject")) as { id: number; project: string }[];
  const live = projects.findLast(({ project }) => project === liveProject);
  if (!live) return;
  const { url } = await openReceiver();
  await call("PUT", "/wx/push/updatePushProject", { id: live.id, url: `${url}/library`, statu: 0 });
  say(`push relay: ${liveProject} receives pushes at ${url}/library while this server runs`);
}

const allowThisMachine = ({ PUSH_ALLOWED_NETWORKS }: RelaySettings) => ({
  PUSH_ALLOWED_NETWORKS: [...PUSH_ALLOWED_NETWORKS, "127.0.0.1/32"],
});

export const pushRelayDemo: Demonstration<RelaySettings> = {
  load,
  wake,
  settingsToServe: allowThisMachine,
  // Only the loading process is sure to deliver to its receiver, so it polls faster than a running server does. A
  // delivery that a running server claims first may fail and is retried after seconds.
  settingsToLoad: (given) => ({ ...allowThisMachine(given), PUSH_POLL_MS: 20 }),
};

/**
 * Registers a campus platform and pushes the events. The key is random, since anybody who knows it can push from this
 * machine.
 */
async function pushAll(call: DemoTools["call"], events: readonly DemoEvent[]): Promise<void> {
  const [appKey, appSecret] = [randomBytes(8).toString("hex"), randomBytes(16).toString("hex")];
  const allowedNetworks = ["127.0.0.0/8", "::1/128"];
  const application = { appKey, appSecret, schoolCode, name: "演示校园平台", allowedNetworks };
  await call("POST", "/wx/push/campusApp/save", application);
  for (const [event, data] of events) {
    const raw_data = encrypt(JSON.stringify(data), { appKey, appSecret });
    await call("POST", "/wx/wxc/receive", { app_key: appKey, school_code: schoolCode, event, raw_data });
  }
}

const lookAgainMs = 20;

async function openReceiver() {
  const received = new Map<string, Set<string>>();
  const server = await openLocalServer((request, response) => {
    const path = request.url ?? "";
    const seen = received.get(path) ?? new Set();
    received.set(path, seen.add(String(request.headers["webhook-id"])));
    request.resume().on("end", () => response.writeHead(204).end());
  });
  const countAt = (path: string) => received.get(path)?.size ?? 0;
  const waitFor = async (path: string, count: number) => {
    const endMs = performance.now() + patienceMs;
    while (countAt(path) < count && performance.now() < endMs) await delay(lookAgainMs);
    return countAt(path);
  };
  return { ...server, waitFor };
}
