// Measures the command centre's wall screen at 1920 x 1080: its frame rate with two changes a second compared with that
// of a bare page in alternating rounds, the latency of a change, and memory growth over thirty days of changes.
// `node bench/screen.ts [seconds a round] [rounds] [days]`
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { openBrowser } from "#test/browser/browser.ts";
import { buildWeb } from "#test/browser/console.ts";
import { measureHeld, playDay } from "#test/browser/screen-days.ts";
import { openWall } from "#test/browser/screen.ts";
import { fillCity, openGround, operatorPassword, startServer } from "./ground.ts";
import { median } from "./measure.ts";

const roundMs = Number(process.argv[2] ?? 10) * 1000;
const rounds = Number(process.argv[3] ?? 3);
const days = Number(process.argv[4] ?? 30);
const toilets = 2000;
const everyMs = 500;
const changes = 20;

await buildWeb();
const ground = await openGround();
await fillCity(ground.pool, toilets);
const server = await startServer(ground, { BENCH_SERVICE: "disease-command" });
const browser = await openBrowser({ optimises: true });
const { page } = await openWall(browser, server.address);
await page.getByRole("status").filter({ hasText: "实时" }).waitFor();
const bare = await (await browser.newContext({ viewport: { width: 1920, height: 1080 } })).newPage();
const token = await signIn();

const countFrames = (from: Page): Promise<number> =>
  from.evaluate<number>(`new Promise((resolve) => {
    let frames = 0;
    const started = performance.now();
    requestAnimationFrame(function count(now) {
      frames++;
      if (now - started < ${roundMs}) requestAnimationFrame(count);
      else resolve(frames / (now - started) * 1000);
    });
  })`);

const changeFigures = (value: number) => ground.pool`
  with spent as (update disease_command.consumption_category set value = ${value} * 3 + id)
  update disease_command.broadcast_statistics set devices = ${value}`;

async function countWhileChanging(): Promise<number> {
  await page.bringToFront();
  let value = 1000;
  const timer = setInterval(() => void changeFigures((value += 7)), everyMs);
  try {
    return await countFrames(page);
  } finally {
    clearInterval(timer);
  }
}

async function countBare(): Promise<number> {
  await bare.bringToFront();
  return countFrames(bare);
}

async function measureChange(value: number): Promise<number> {
  const started = performance.now();
  await changeFigures(value);
  await page.getByText(value.toLocaleString("zh-CN"), { exact: true }).waitFor();
  return performance.now() - started;
}

async function signIn(): Promise<string> {
  const answer = await fetch(`${server.address}/platform/login`, {
    method: "POST",
    body: new URLSearchParams({ userName: "operator", password: operatorPassword }),
  });
  const { data } = (await answer.json()) as { data: { token: string } };
  return data.token;
}

async function write(method: string, path: string, body: unknown): Promise<void> {
  const answer = await fetch(`${server.address}/disease-command${path}`, {
    method,
    headers: { "content-type": "application/json", "admin-token": token },
    body: JSON.stringify(body),
  });
  const { code, message } = (await answer.json()) as { code: string; message: string };
  assert.equal(code, "0", `${path}: ${message}`);
}

const frames: number[] = [];
const bareFrames: number[] = [];
for (let round = 0; round < rounds; round++) {
  frames.push(await countWhileChanging());
  bareFrames.push(await countBare());
}
const ratio = median(frames) / median(bareFrames);
console.log(
  `frames a second: ${median(frames).toFixed(1)} on the wall, ${median(bareFrames).toFixed(1)} on a bare page (ratio ${ratio.toFixed(2)})`,
);

await page.bringToFront();
const times: number[] = [];
for (let n = 0; n < changes; n++) times.push(await measureChange(50_000 + n * 1000));
console.log(
  `a change is on the wall after ${median(times).toFixed(0)} ms, at most ${Math.max(...times).toFixed(0)} (of ${changes})`,
);

for (let day = 0; day < 5; day++) await playDay(page, write, day);
const before = await measureHeld(page);
for (let day = 5; day < 5 + days; day++) await playDay(page, write, day);
const held = await measureHeld(page);
console.log(
  `${days} days of changes: heap ${(before.heap / 1e6).toFixed(2)} MB before, ${(held.heap / 1e6).toFixed(2)} after; nodes ${before.nodes}, ${held.nodes}; listeners ${before.listeners}, ${held.listeners}`,
);

await browser.close();
await server.end();
await ground.end();
