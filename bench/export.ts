// Measures the export of a million reports over HTTP: time, memory above idle, and the latency of a probe meanwhile.
// The baseline is the spreadsheet library, which writes similar rows from memory in its own process.
// `node bench/export.ts [reports]`
import { readFile } from "node:fs/promises";
import http from "node:http";
import { start } from "./child.ts";
import { fillReports, openGround, signIn, startServer } from "./ground.ts";
import { median, shoot } from "./measure.ts";

const count = Number(process.argv[2] ?? 1_000_000);
const rounds = 3;

const readResidentMb = async (pid: number): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

function download(url: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { headers: { admin_token: token } }, (response) => {
        let bytes = 0;
        response.on("data", (chunk: Buffer) => (bytes += chunk.length));
        response.on("end", () =>
          response.statusCode === 200 && response.complete
            ? resolve(bytes)
            : reject(new Error("the download was cut off")),
        );
      })
      .on("error", reject);
  });
}

async function timeLibrary(): Promise<number> {
  return (await start<number>("./export-floor.ts", [String(count)])).first;
}

const ground = await openGround();
await fillReports(ground.pool, count);
const server = await startServer(ground, { BENCH_SERVICE: "reporting" });
const { address, pid } = server;
const token = await signIn(address);
const list = {
  url: `${address}/reporting/informationReporting/list`,
  method: "GET",
  headers: { admin_token: token },
} as const;
for (let warm = 0; warm < 50; warm++) await shoot(list);
const idleMb = await readResidentMb(pid);

const seconds: number[] = [];
const library: number[] = [];
let peakMb = 0;
const waits: number[] = [];
for (let round = 0; round < rounds; round++) {
  const started = performance.now();
  const probe = setInterval(() => {
    const asked = performance.now();
    void shoot(list).then(() => waits.push(performance.now() - asked));
    void readResidentMb(pid).then((mb) => (peakMb = Math.max(peakMb, mb)));
  }, 100);
  const bytes = await download(`${address}/reporting/informationReporting/download`, token);
  clearInterval(probe);
  seconds.push((performance.now() - started) / 1000);
  library.push(await timeLibrary());
  console.log(
    `round ${round + 1}: export ${seconds.at(-1)?.toFixed(1)} s, ${(bytes / 1e6).toFixed(0)} MB; library from memory ${library.at(-1)?.toFixed(1)} s`,
  );
}
const ratio = median(seconds.map((value, round) => value / (library[round] ?? 1)));
console.log(
  `${count} reports: ${median(seconds).toFixed(1)} s, ${ratio.toFixed(2)} of the library's ${median(library).toFixed(1)} s (target: at most 1.50)`,
);
console.log(
  `memory: idle ${idleMb.toFixed(0)} MB, at most ${(peakMb - idleMb).toFixed(0)} MB above it (target: below 150)`,
);
console.log(
  `list pages requested meanwhile: median ${median(waits).toFixed(1)} ms, longest ${Math.max(...waits).toFixed(0)} ms`,
);
await server.end();
await ground.end();
