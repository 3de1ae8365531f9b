// Measures how daily operations scale with table size: reports, payables, attendance months, deliveries. Each size has
// a database and a server of its own, except that all months are added to one database. Each ratio is relative to the
// first size.
// `node bench/growth.ts [reports=10000,…] [payables=1000,…] [months=1,…] [deliveries=10000,…] [rounds=20]` measures the
// named kinds at the given sizes; without names it measures all kinds, which takes some minutes.
import { openAsBlob } from "node:fs";
import http from "node:http";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { start, type Started } from "./child.ts";
import { makeMonthBooks, makePayableBook } from "./books.ts";
import { fillPayables, fillReports, type Ground, openGround, signIn, startServer } from "./ground.ts";
import { countPerSecond, median, shoot, timeMs, type Shot } from "./measure.ts";
import {
  addCampusApp,
  addSettled,
  addToQueue,
  countArrivals,
  makePushes,
  perSecond,
  replaceProjects,
  settledDays,
} from "./relay-ground.ts";
import { removeOldDeliveries } from "#services/push-relay/delivery/retention-store.ts";
import { sampleReport } from "#test/sample-report.ts";

const given = Object.fromEntries(process.argv.slice(2).map((word) => word.split("=") as [string, string]));
const rounds = Number(given["rounds"] ?? 20);
const usual = {
  reports: "10000,100000,1000000",
  payables: "1000,10000,100000,1000000",
  months: "1,6,12",
  deliveries: "10000,100000,1000000",
} as const;
const names = Object.keys(usual) as (keyof typeof usual)[];
const named = names.filter((name) => given[name] !== undefined);

type Curve = Map<string, number[]>;

interface Place {
  readonly ground: Ground;
  readonly address: string;
  readonly token: string;
  readonly note: (what: string, value: number) => void;
}

const json = { "content-type": "application/json" } as const;

async function measure(
  services: string,
  curve: Curve,
  fill: (ground: Ground) => Promise<unknown>,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const ground = await openGround();
  await fill(ground);
  await ground.pool.script("checkpoint");
  const server = await startServer(ground, {
    BENCH_SERVICE: services,
    STUDENT_IDENTITY: "header",
    RATE_LIMIT_OPEN: "1000000000",
    PUSH_ALLOWED_NETWORKS: "127.0.0.0/8",
  });
  const note = (what: string, value: number) => void curve.set(what, [...(curve.get(what) ?? []), value]);
  await work({ ground, address: server.address, token: await signIn(server.address), note });
  await server.end();
  await ground.end();
}

const getter = ({ address, token }: Place, target: string): Shot => ({
  url: address + target,
  method: "GET",
  headers: { admin_token: token },
});

/** Measures the time to the first byte and abandons the rest of the answer. */
function timeFirstByte({ url, headers }: Shot): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const request = http.get(url, { headers, agent: false }, (response) => {
      response.once("data", () => {
        resolve(performance.now() - started);
        request.destroy();
      });
      response.on("error", () => {});
    });
    request.once("error", reject);
  });
}

async function growReports(size: number, curve: Curve): Promise<void> {
  await measure(
    "reporting",
    curve,
    ({ pool }) => fillReports(pool, size),
    async (place) => {
      const prefix = "/reporting/informationReporting";
      const time = async (what: string, shot: Shot) =>
        place.note(`${what}, ms`, await timeMs(() => shoot(shot), rounds));
      await time("first page and total", getter(place, `${prefix}/list`));
      await time("a month's page and total", getter(place, `${prefix}/list?reportingTime=2025-03`));
      const submission = { url: `${place.address}${prefix}/add`, method: "POST", headers: json } as const;
      await time("submission", { ...submission, body: JSON.stringify(sampleReport()) });
      const firstBytes: number[] = [];
      for (let round = 0; round < 5; round++) {
        firstBytes.push(await timeFirstByte(getter(place, `${prefix}/download`)));
        // The server needs a moment to notice the abandoned request and to release its database connection.
        await delay(200);
      }
      place.note("export of all, first byte, ms", median(firstBytes));
    },
  );
}

async function growPayables(size: number, curve: Curve): Promise<void> {
  const { file, end } = await makePayableBook(1000);
  await measure(
    "tuition-payment",
    curve,
    ({ pool }) => fillPayables(pool, size),
    async (place) => {
      const prefix = "/tuitionpayment/payableinfo";
      const card = `S${String(Math.floor(size / 4)).padStart(8, "0")}`;
      const lookUp = {
        url: `${place.address}${prefix}/payableInfo`,
        method: "GET",
        headers: { card_number: card },
      } as const;
      place.note("student's look-up, ms", await timeMs(() => shoot(lookUp), rounds));
      const list = getter(place, `${prefix}/list`);
      place.note("first page and total, ms", await timeMs(() => shoot(list), rounds));
      const imports: number[] = [];
      for (let round = 0; round < 3; round++) {
        imports.push(await upload(place, `${prefix}/import`, file));
        await place.ground.pool`delete from tuition_payment.payable where student_no not like 'S%'`;
      }
      place.note("import of 1,000, ms", median(imports));
    },
  );
  await end();
}

async function upload({ address, token }: Place, target: string, file: string): Promise<number> {
  const form = new FormData();
  form.append("file", await openAsBlob(file), path.basename(file));
  const started = performance.now();
  const response = await fetch(address + target, { method: "POST", headers: { admin_token: token }, body: form });
  const { success, message } = (await response.json()) as { success: boolean; message: string };
  if (!success) throw new Error(message);
  return performance.now() - started;
}

const employees = 300;

const nameMonth = (index: number): string =>
  `${2023 + Math.floor(index / 12)}-${String(1 + (index % 12)).padStart(2, "0")}`;

async function growMonths(sizes: readonly number[], curve: Curve): Promise<void> {
  const most = Math.max(...sizes);
  await measure(
    "attendance",
    curve,
    async () => {},
    async (place) => {
      for (let count = 1; count <= most; count++) {
        const month = nameMonth(count - 1);
        const books = await makeMonthBooks(month, employees);
        const importMs = await upload(place, "/attendance/month/importExcel", books.file);
        const punchesMs = await upload(place, "/attendance/original/importOriginal", books.punches);
        await books.end();
        const analysisMs = await analyse(place, month);
        if (!sizes.includes(count)) continue;
        place.note("import of the newest month, ms", importMs + punchesMs);
        place.note("analysis of the newest month, ms", analysisMs);
        for (const [what, target] of [
          ["list of months", "months"],
          ["the month's rows", `downLoad?month=${month}`],
        ] as const)
          place.note(`${what}, ms`, await timeMs(() => shoot(getter(place, `/attendance/month/${target}`)), rounds));
      }
    },
  );
}

async function analyse(place: Place, month: string): Promise<number> {
  const started = performance.now();
  await shoot(getter(place, `/attendance/month/analyse?month=${month}`));
  for (;;) {
    const said = await shoot(getter(place, `/attendance/month/queryAnalyseStatu?month=${month}`));
    const { statu } = (JSON.parse(said) as { data: { statu: number } }).data;
    if (statu === 2) return performance.now() - started;
    if (statu === 3) throw new Error("the analysis failed");
    await delay(20);
  }
}

const subjects = 2000;
const delivered = 20_000;
const oneStep = 2000;

async function growDeliveries(size: number, curve: Curve): Promise<void> {
  const receiver = await start("./relay-receiver.ts");
  const fill = async ({ pool }: Ground) => {
    await addCampusApp(pool);
    await replaceProjects(pool, [`${receiver.first}/`]);
    await pool`update push_relay.project set paused = true`;
    await addSettled(pool, size, subjects);
  };
  await measure("push-relay", curve, fill, async (place) => {
    const { pool } = place.ground;
    const nextPush = makePushes();
    const push = { url: `${place.address}/wx/wxc/receive`, method: "POST", headers: json } as const;
    await countPerSecond(() => ({ ...push, body: nextPush() }), 16, 1000);
    place.note("pushes accepted, a second", await countPerSecond(() => ({ ...push, body: nextPush() }), 16, 3000));
    for (const [what, query] of [
      ["log, first page", ""],
      ["log, dead deliveries", "?status=dead"],
    ] as const)
      place.note(`${what}, ms`, await timeMs(() => shoot(getter(place, `/wx/push/delivery/page${query}`)), rounds));
    // The paused project's backlog is removed, so that each size starts with a queue of the same length.
    await pool`truncate push_relay.queue`;
    place.note("deliveries, a second", await deliver(place, receiver));
    const days = { deliveredDays: settledDays / 2, deadDays: settledDays / 2 };
    const times: number[] = [];
    for (let step = 0, after = 0; step < 3; step++) {
      const started = performance.now();
      after = (await removeOldDeliveries(pool, after, oneStep, days)).lastId ?? 0;
      times.push(performance.now() - started);
    }
    place.note(`housekeeping of ${oneStep}, ms`, median(times));
  });
  await receiver.end();
}

async function deliver({ ground, address, token }: Place, receiver: Started): Promise<number> {
  await addToQueue(ground.pool, delivered, subjects);
  const [project] = await ground.pool<{ id: number }[]>`select id from push_relay.project where deleted_at is null`;
  const resume = `${address}/wx/push/project/resume?id=${project?.id}`;
  const go = () => void fetch(resume, { method: "PUT", headers: { admin_token: token } });
  return perSecond(await countArrivals(receiver.child, delivered, go));
}

function show(name: string, sizes: readonly number[], curve: Curve): void {
  console.log(`\n${name.padEnd(34)}${sizes.map((size) => String(size).padStart(20)).join("")}`);
  for (const [what, values] of curve) {
    const cells = values.map(
      (value) => `${value.toFixed(value < 100 ? 2 : 0)} (${(value / (values[0] ?? 1)).toFixed(2)})`,
    );
    console.log(`${what.padEnd(34)}${cells.map((cell) => cell.padStart(20)).join("")}`);
  }
}

for (const name of named.length > 0 ? named : names) {
  const sizes = (given[name] ?? usual[name]).split(",").map(Number);
  const curve: Curve = new Map();
  if (name === "months") await growMonths(sizes, curve);
  else {
    const grow = { reports: growReports, payables: growPayables, deliveries: growDeliveries }[name];
    for (const size of sizes) await grow(size, curve);
  }
  show(name, sizes, curve);
}
