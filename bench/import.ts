// Measures an import of 100,000 payables from a workbook over HTTP, and the same import again with replace, alternating
// with the baselines: the spreadsheet library counting the same file's cells, and COPY of the same rows from memory
// into a table without an index.
// `node bench/import.ts [payables] [rounds]`
import { openAsBlob } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { headings } from "#services/tuition-payment/import.ts";
import { makePayableBook } from "./books.ts";
import { start } from "./child.ts";
import { openGround, operatorPassword, startServer } from "./ground.ts";
import { median, shoot } from "./measure.ts";

const payables = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 5);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

const { file, end: removeFile } = await makePayableBook(payables);
console.log(`${payables} payables of ${headings.length} columns in ${((await stat(file)).size / 1e6).toFixed(1)} MB`);

async function measureFloor(...args: string[]): Promise<number> {
  return (await start<number>("./import-floor.ts", args)).first;
}

const ground = await openGround();
const server = await startServer(ground, { BENCH_SERVICE: "tuition-payment" });
const { address, pid } = server;
const login = await shoot({
  url: `${address}/tuitionpayment/admininfo/login`,
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ userName: "operator", password: operatorPassword }),
});
const headers = { admin_token: (JSON.parse(login) as { data: { token: string } }).data.token };

async function upload(fields: Readonly<Record<string, string>> = {}): Promise<number> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append("file", await openAsBlob(file), path.basename(file));
  const started = performance.now();
  const response = await fetch(`${address}/tuitionpayment/payableinfo/import`, { method: "POST", headers, body: form });
  const { data, message } = (await response.json()) as { data: string | null; message: string };
  if (data !== String(payables)) throw new Error(message);
  return performance.now() - started;
}

const readResidentMb = async (): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

async function watch(idleMb: number, work: () => Promise<number>): Promise<{ ms: number; peakMb: number }> {
  let peakMb = 0;
  const timer = setInterval(() => void readResidentMb().then((now) => (peakMb = Math.max(peakMb, now - idleMb))), 20);
  const ms = await work();
  clearInterval(timer);
  return { ms, peakMb };
}

const list = { url: `${address}/tuitionpayment/payableinfo/list`, method: "GET", headers } as const;
for (let warm = 0; warm < 50; warm++) await shoot(list);
const idleMb = await readResidentMb();
const results = { library: [] as number[], copy: [] as number[], fresh: [] as number[], again: [] as number[] };
let mostMb = 0;
for (let round = 1; round <= rounds; round++) {
  results.library.push(await measureFloor("library", file));
  results.copy.push(await measureFloor("copy", file, ground.url));
  await ground.pool`truncate tuition_payment.payable`;
  const fresh = await watch(idleMb, () => upload());
  const again = await watch(idleMb, () => upload({ replace: "true" }));
  results.fresh.push(fresh.ms);
  results.again.push(again.ms);
  mostMb = Math.max(mostMb, fresh.peakMb, again.peakMb);
}
const ratios = results.fresh.map((ms, round) => ms / ((results.library[round] ?? 0) + (results.copy[round] ?? 0)));
console.log(
  `import ${seconds(median(results.fresh))}, of the same rows again with replace ${seconds(median(results.again))}; ` +
    `reading ${seconds(median(results.library))}, COPY ${seconds(median(results.copy))}`,
);
console.log(`  times reading plus COPY ${median(ratios).toFixed(2)} (target: at most 1.50)`);
console.log(`  memory above idle ${mostMb.toFixed(0)} MB (target: below 250)`);
await server.end();
await ground.end();
await removeFile();
