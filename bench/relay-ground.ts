import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Pool } from "#platform/database/index.ts";
import type { Keyring } from "#platform/sealing/keyring.ts";
import { encrypt } from "#services/push-relay/cipher.ts";
import { sealData } from "#services/push-relay/sealed.ts";

export interface Counted {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly marks: readonly { readonly count: number; readonly ms: number }[];
}

export const perSecond = ({ count, firstMs, lastMs }: Counted): number => count / ((lastMs - firstMs) / 1000);

export async function countArrivals(receiver: ChildProcess, count: number, go: () => void): Promise<Counted> {
  receiver.send(count);
  const done = once(receiver, "message");
  go();
  const [counted] = (await done) as [Counted];
  return counted;
}

export const body = JSON.stringify({
  id: "1b4e28ba-2fa1-4d2e-883f-0016d3cca427",
  event: "updateUser",
  school_code: "1000000001",
  data: {
    card_number: "07302590",
    name: "测试员",
    identity_type: 1,
    organization: [2, 222, 496],
    grade: "2024级",
    college: "虚构信息学院",
    profession: "软件工程",
    telephone: "555 0100 0001",
  },
  receivedTime: "2026-11-20 12:00:00",
});

export const sealBody = (keys: Keyring): string =>
  body.replace(/(?<="data":).*(?=,"receivedTime")/, (data) => sealData(keys, data));

const schoolCode = "1000000001";

export async function replaceProjects(pool: Pool, urls: readonly string[]): Promise<void> {
  await pool`update push_relay.project set deleted_at = now() where deleted_at is null`;
  for (const [index, url] of urls.entries())
    await pool`insert into push_relay.project (url, name, secret)
      values (${url}, ${`project ${index}`}, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')`;
}

export async function fillQueue(pool: Pool, events: number, subjects: number, stored = body): Promise<void> {
  await pool`truncate push_relay.event, push_relay.delivery, push_relay.attempt, push_relay.dead, push_relay.queue`;
  await addToQueue(pool, events, subjects, stored);
}

export async function addToQueue(pool: Pool, events: number, subjects: number, stored = body): Promise<void> {
  const last = await addEvents(pool, events, subjects, stored);
  await pool`
    insert into push_relay.delivery (event_id, project_id)
    select event.id, project.id from push_relay.event cross join push_relay.project
    where event.id > ${last} and deleted_at is null order by 1, 2`;
  await pool`
    select push_relay.line_up(array(select id from push_relay.delivery where event_id > ${last} order by id))`;
  await pool.script("vacuum analyze");
  await pool.script("checkpoint");
}

async function addEvents(pool: Pool, events: number, subjects: number, stored = body): Promise<number> {
  const [row] = await pool<{ last: number }[]>`select coalesce(max(id), 0) as last from push_relay.event`;
  await pool`
    insert into push_relay.subject (school_code, kind, identity, last_hash, last_event_at)
    select ${schoolCode}, 'person', i::text, '', now() from generate_series(1, ${subjects}::int) as i on conflict do nothing`;
  await pool`
    insert into push_relay.event (public_id, event, subject_id, subject, body)
    select gen_random_uuid(), 'updateUser', subject.id, identity, ${stored}
    from generate_series(0, ${events - 1}::int) as i
    join push_relay.subject on identity = (1 + i % ${subjects}::int)::text order by i`;
  return row?.last ?? 0;
}

export const settledDays = 60;

export async function addSettled(pool: Pool, count: number, subjects: number): Promise<void> {
  const last = await addEvents(pool, count, subjects);
  await pool`
    insert into push_relay.delivery (event_id, project_id, status, attempts, attempted_at, status_code, duration_ms, created_at, delivered_at)
    select event.id, project.id, 'delivered', 1, at, 204, 12, at, at
    from push_relay.event
    cross join (select min(id) as id from push_relay.project where deleted_at is null) as project
    cross join lateral (
      select now() - (1 - (event.id - ${last})::float8 / ${count}) * make_interval(days => ${settledDays}) as at) as times
    where event.id > ${last} order by event.id`;
  await pool.script("vacuum analyze");
}

const pushKeys = { appKey: "0A1B2C3D4E5F6071", appSecret: "00112233445566778899AABBCCDDEEFF" };
const pushedSubjects = 2000;
const differentPushes = 20_000;

export async function addCampusApp(pool: Pool): Promise<void> {
  await pool`
    insert into push_relay.campus_app (app_key, app_secret, school_code, name)
    values (${pushKeys.appKey}, ${pushKeys.appSecret}, ${schoolCode}, 'bench')`;
}

/** Consecutive bodies are about different people, and no body repeats the previous one about the same person. */
export function makePushes(moreFields = 0): () => string {
  const more = Object.fromEntries(
    Array.from({ length: moreFields }, (_, index) => [`field_${index}`, `虚构内容第${index}项`]),
  );
  const bodies = Array.from({ length: differentPushes }, (_, index) => {
    const data = {
      card_number: String(10_000_000 + (index % pushedSubjects)),
      name: "测试员",
      identity_type: 1,
      organization: [2, 222, 496],
      grade: `${2000 + Math.floor(index / pushedSubjects)}级`,
      college: "虚构信息学院",
      ...more,
    };
    const raw_data = encrypt(JSON.stringify(data), pushKeys);
    const { appKey: app_key, appSecret: app_secret } = pushKeys;
    return JSON.stringify({ app_key, app_secret, school_code: schoolCode, event: "updateUser", raw_data });
  });
  let next = 0;
  return () => bodies[next++ % differentPushes] ?? "";
}

export interface Redis {
  readonly port: number;
  end(): Promise<void>;
}

/** Starts Redis with an append-only file, as in production. Returns undefined if Redis is not installed. */
export async function startRedis(): Promise<Redis | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-redis-"));
  const port = await findFreePort();
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes", "--save", ""];
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "ignore"] });
  const ready = new Promise<boolean>((resolve) => {
    child.once("error", () => resolve(false));
    child.stdout.on("data", (text: Buffer) => void (text.includes("Ready to accept") && resolve(true)));
  });
  const end = async () => {
    if (child.pid !== undefined && child.exitCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  if (await ready) return { port, end };
  await end();
  return undefined;
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}

export async function installBullmq(): Promise<{ readonly folder: string; end(): Promise<void> } | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), "quintet-bullmq-"));
  const end = () => rm(folder, { recursive: true, force: true });
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--ignore-scripts", "bullmq@5"];
  const done = await promisify(execFile)("npm", args, { timeout: 120_000 }).then(
    () => true,
    () => false,
  );
  if (done) return { folder, end };
  await end();
  return undefined;
}
