import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { encrypt } from "#services/push-relay/cipher.ts";
import { createClient } from "#test/crash/load.ts";
import { operatorPassword } from "#test/crash/server.ts";
import { type Arrival, type Disturbance, judge } from "#test/relay/ledger.ts";
import { startReceiver } from "#test/relay/receiver.ts";

export interface Pushing {
  /** Ends with the round at hand, waits until all has arrived, and judges it. @returns how many events there were. */
  stop(disturbance: Disturbance): Promise<number>;
}

const keys = { appKey: "0A1B2C3D4E5F6071", appSecret: "00112233445566778899AABBCCDDEEFF" };
const schoolCode = "1000000001";
const subjects = Array.from({ length: 12 }, (_, index) => `subject-${index}`);
const pauseMs = 20;
const drainMs = 60_000;

/** A campus platform that pushes events of each person one after the other, each until it is taken, and two receivers. */
export async function startPushing(t: TestContext, addresses: readonly string[]): Promise<Pushing> {
  const [first = ""] = addresses;
  const receivers = await Promise.all(["first", "second"].map(() => startNoting(t)));
  const { token } = (await createClient(first).call("POST", "/platform/login", {
    userName: "operator",
    password: operatorPassword,
  })) as { token: string };
  await createClient(first, token).call("POST", "/wx/push/campusApp/save", { ...keys, schoolCode, name: "示例校园" });
  for (const [index, { url }] of receivers.entries()) {
    const body = new URLSearchParams({ url, project: `project ${index}` });
    const answer = await fetch(`${first}/wx/push/addPushProject`, {
      method: "POST",
      headers: { admin_token: token },
      body,
    });
    assert.equal(answer.status, 200);
  }
  const over = new AbortController();
  let rounds = 0;
  const feed = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const n = ++rounds;
      await Promise.all(
        subjects.map((card_number, index) => push(addresses, index + n, { card_number, name: "测试员", n })),
      );
    }
  };
  const fed = feed();
  return {
    async stop(disturbance) {
      over.abort();
      await fed;
      const isThere = (arrivals: readonly Arrival[]) =>
        new Set(arrivals.map(({ id }) => id)).size === rounds * subjects.length;
      const endMs = performance.now() + drainMs;
      for (const { arrivals } of receivers)
        while (!isThere(arrivals)) {
          assert.ok(performance.now() < endMs, `events are missing after ${drainMs} ms`);
          await delay(pauseMs);
        }
      const expectation = { subjects, eventsEach: rounds, disturbances: [disturbance], unanswered: new Set<string>() };
      for (const [index, { arrivals }] of receivers.entries()) judge(`project ${index}`, arrivals, expectation);
      return rounds * subjects.length;
    },
  };
}

async function push(
  addresses: readonly string[],
  from: number,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  const raw_data = encrypt(JSON.stringify(data), keys);
  const body = JSON.stringify({ app_key: keys.appKey, school_code: schoolCode, event: "updateUser", raw_data });
  for (let turn = from; ; turn++) {
    const answer = await fetch(`${addresses[turn % addresses.length]}/wx/wxc/receive`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const { code } = (await answer.json()) as { code: number | string };
    if (Number(code) === 0) return;
    await delay(pauseMs);
  }
}

async function startNoting(t: TestContext): Promise<{ readonly url: string; readonly arrivals: Arrival[] }> {
  const arrivals: Arrival[] = [];
  const receiver = await startReceiver((push) => {
    const { card_number: subject, n } = push.json.data;
    arrivals.push({ id: push.json.id, subject, n, atMs: push.arrivedMs, taken: true });
    push.forget();
    return 200;
  });
  t.after(() => receiver.stop());
  return { url: receiver.url, arrivals };
}
