import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { pick } from "#test/pick.ts";
import { registerCampus } from "#test/relay/campus.ts";
import { type Behaviour, startReceiver } from "#test/relay/receiver.ts";
import { until } from "#test/until.ts";
import { tidyRelay } from "./delivery/retention-store.ts";

const settings = { PUSH_ALLOWED_NETWORKS: "127.0.0.1/32", PUSH_POLL_MS: "20", PUSH_RETRY_SECONDS: "0.05,3600" };
const app = await startTestApp({ services: ["push-relay"], settings });
const { token } = await app.signIn("push-relay");
const campus = await registerCampus(app, { token });

const read = async (id: number) => {
  const { json, text } = await app.call("GET", `/wx/push/delivery/exchange/${id}`, { token });
  assert.equal(json.code, "0", text);
  return json.data;
};

let names = 0;
async function addProject(behaviour: Behaviour, url?: string) {
  const receiver = await startReceiver(behaviour);
  after(() => receiver.stop());
  const body = { url: url ?? receiver.url, project: `p${++names}` };
  const { json } = await app.call("POST", "/wx/push/addPushProject", { token, body });
  const id = Number(json.data);
  return {
    id,
    receiver,
    until: (question: (list: { id: number; status: string; attempts: number }[]) => boolean) =>
      until("the deliveries are as they should be", async () => {
        const query = { projectId: id, pageSize: 100, order: "asc" };
        const { json: page } = await app.call("GET", "/wx/push/delivery/page", { token, query });
        return question(page.data.list) && page.data.list;
      }),
    retire: () => app.call("DELETE", "/wx/push/deletePushProject", { token, query: { id } }),
  };
}

let people = 0;
const tell = (more: Record<string, unknown> = {}) => campus.tell("addUser", { card_number: `p${++people}`, ...more });
const isOver = (list: { status: string }[]) => list.length > 0 && list.every(({ status }) => status === "delivered");

test("what was sent and what came back are shown", async () => {
  const project = await addProject((_push, response) => {
    response.writeHead(200, { "content-type": "application/json", "x-receiver": "one" });
    response.end('{"code":0,"说明":"收到"}');
  });
  await tell({ name: "陈小明" });
  const [{ id }] = await project.until(isOver);
  const [push] = project.receiver.pushes;
  const { method, body, attempts } = await read(id);
  assert.deepEqual([method, body, attempts.length], ["POST", push?.body, 1]);
  const [{ time, url, headers, response }] = attempts;
  assert.match(time, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.equal(url, project.receiver.url);
  assert.deepEqual(headers, {
    "content-type": "application/json",
    "user-agent": "Quintet",
    "webhook-id": push?.headers["webhook-id"],
    "webhook-timestamp": push?.headers["webhook-timestamp"],
    "webhook-signature": "v1,***",
  });
  assert.deepEqual([response.body, response.cut], ['{"code":0,"说明":"收到"}', false]);
  assert.deepEqual([response.headers["x-receiver"], response.headers["content-type"]], ["one", "application/json"]);
  await project.retire();
});

test("every attempt keeps its own answer, and the address that it went to", async () => {
  let count = 0;
  const project = await addProject((_push, response) => {
    count++;
    response.writeHead(count === 1 ? 503 : count === 2 ? 500 : 200, { "x-try": String(count) }).end(`answer ${count}`);
  });
  await tell();
  const [{ id }] = await project.until((list) => list[0]?.attempts === 2);
  const elsewhere = `${project.receiver.url}/elsewhere`;
  await app.call("PUT", "/wx/push/updatePushProject", { token, body: { id: project.id, url: elsewhere } });
  await app.call("POST", "/wx/push/delivery/replay", { token, body: { ids: [id] } });
  await project.until(isOver);
  const told = async () =>
    (await read(id)).attempts.map(
      ({ url, response }: { url: string; response: { headers: Record<string, string>; body: string } }) =>
        `${url} ${response.headers["x-try"]} ${response.body}`,
    );
  const { url } = project.receiver;
  const expected = [`${url} 1 answer 1`, `${url} 2 answer 2`, `${elsewhere} 3 answer 3`];
  assert.deepEqual(await told(), expected);
  await app.call("POST", "/wx/push/delivery/replay", { token, body: { ids: [id] } });
  await project.until((list) => list[0]?.attempts === 4 && isOver(list));
  assert.deepEqual(await told(), [...expected, `${elsewhere} 4 answer 4`]);
  await project.retire();
});

test("an answer is kept up to 16 KB, whatever it holds and however it ends", async () => {
  const answers: Record<string, Behaviour> = {
    long: (_push, response) => void response.writeHead(200).end("长".repeat(10_000)),
    endless: (_push, response) => void response.writeHead(200).write("never over"),
    odd: (_push, response) => void response.writeHead(200).end(Buffer.from([0x61, 0, 0xff, 0x62])),
    split: (_push, response) => {
      response.writeHead(200);
      const bytes = Buffer.from("一半");
      response.write(bytes.subarray(0, 2));
      setImmediate(() => response.end(bytes.subarray(2)));
    },
  };
  const project = await addProject((push, response) => answers[push.json.data.kind]?.(push, response));
  for (const kind of Object.keys(answers)) await tell({ kind });
  const list = await project.until((found) => found.length === 4 && isOver(found));
  const kept: Record<string, unknown> = {};
  for (const { id } of list) {
    const { body, attempts } = await read(id);
    const [{ response }] = attempts;
    kept[JSON.parse(body).data.kind] = [response.body, response.cut];
  }
  assert.deepEqual(kept, {
    long: ["长".repeat(5461), true],
    endless: ["never over", true],
    odd: ["a\u{fffd}b", false],
    split: ["一半", false],
  });
  await project.retire();
});

test("signatures and cookies are not kept, not even where a receiver sends them back", async () => {
  const project = await addProject(({ headers }, response) => {
    const sent = JSON.stringify({ ...headers });
    response
      .writeHead(200, { "set-cookie": ["a=secret-1", "b=secret-2"], "x-echo": headers["webhook-signature"] })
      .end(sent);
  });
  await tell();
  const [{ id }] = await project.until(isOver);
  const signature = String(project.receiver.pushes[0]?.headers["webhook-signature"]).slice(3);
  const { attempts } = await read(id);
  const [{ response }] = attempts;
  assert.equal(response.headers["set-cookie"], "***");
  assert.equal(response.headers["x-echo"], "v1,***");
  assert.equal(JSON.parse(response.body)["webhook-signature"], "v1,***");
  const [stored] = await app.pool`select string_agg(exchange::text, ' ') as text from push_relay.exchange`;
  const text = String(stored?.["text"]);
  assert.ok(text.includes("x-echo"), "the test must have read it");
  for (const secret of [signature, "secret-1", "secret-2", campus.appSecret]) assert.ok(!text.includes(secret), secret);
  await project.retire();
});

test("an answer that cannot be stored does not keep the outcome from being written down", async () => {
  await app.pool`alter table push_relay.exchange add constraint refused check (body <> 'unheard of')`;
  const project = await addProject((_push, response) => void response.writeHead(200).end("unheard of"));
  await tell();
  const [{ id }] = await project.until(isOver);
  assert.equal((await read(id)).attempts[0].response, null);
  assert.equal(project.receiver.pushes.length, 1);
  await app.pool`alter table push_relay.exchange drop constraint refused`;
  await project.retire();
});

test("it is kept as long as the log, and no longer", async () => {
  let count = 0;
  const project = await addProject(
    (_push, response) => void response.writeHead(++count === 2 ? 500 : 200).end(`kept ${count}`),
  );
  await tell();
  await project.until(isOver);
  await tell();
  const list = await project.until((found) => found.length === 2 && (found[1]?.attempts ?? 0) > 1);
  const bodies = async () =>
    pick(await app.pool`select body from push_relay.exchange where body like 'kept%' order by body`, "body");
  assert.deepEqual(await bodies(), ["kept 1", "kept 2", "kept 3"]);
  // The exchanges and deliveries become 60 days older. The second delivery is replayed below and stays pending.
  await app.pool`update push_relay.exchange set created_at = created_at - interval '60 days'`;
  await app.pool`
    update push_relay.delivery set created_at = created_at - interval '60 days', delivered_at = delivered_at - interval '60 days'
    where project_id = ${project.id}`;
  await app.call("PUT", "/wx/push/project/pause", { token, query: { id: project.id } });
  await app.call("POST", "/wx/push/delivery/replay", { token, body: { ids: [list[1].id] } });
  await tidyRelay(app.pool, { PUSH_KEEP_DELIVERED_DAYS: 30, PUSH_KEEP_DEAD_DAYS: 180 } as never);
  assert.deepEqual(await bodies(), ["kept 2", "kept 3"]);
  const { attempts } = await read(list[1].id);
  assert.deepEqual(pick(pick(attempts, "response") as object[], "body"), ["kept 2", "kept 3"]);
});
