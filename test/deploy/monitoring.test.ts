import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { startTestApp } from "#test/app.ts";
import { findUnknown, readAlarms, readDashboard } from "./monitoring.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readText = (file: string): Promise<string> => readFile(path.join(root, file), "utf8");
const [dashboard, alarmText, conditionText, scrapeText, operations] = await Promise.all(
  [
    "deploy/grafana/quintet.json",
    "deploy/prometheus/alerts.yml",
    "deploy/prometheus/conditions.yml",
    "deploy/prometheus/prometheus.yml",
    "docs/operations.md",
  ].map(readText),
);
assert.ok(dashboard && alarmText && conditionText && scrapeText && operations);

const bearer = "a-token-for-metrics-1";
const app = await startTestApp({ settings: { METRICS_TOKEN: bearer } });
const { text: metrics } = await app.call("GET", "/metrics", { headers: { authorization: `Bearer ${bearer}` } });

test("the dashboard is one, and asks for what /metrics has", () => {
  const { faults, asked } = readDashboard(dashboard);
  assert.deepEqual(faults, []);
  assert.ok(asked.length > 40, "the test must have read the panels");
  assert.deepEqual(findUnknown(asked, metrics), []);
});

test("alarms ask for what /metrics has, and lead to a heading of operations", () => {
  const alarms = [...readAlarms(alarmText), ...readAlarms(conditionText)];
  assert.deepEqual(findUnknown(alarms, metrics), []);
  const headings = [...operations.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = ""]) =>
    heading.toLowerCase().replaceAll(" ", "-"),
  );
  for (const { where, runbook } of alarms) {
    const [file, heading = ""] = runbook.split("#");
    assert.equal(file, "docs/operations.md", where);
    assert.ok(headings.includes(heading), `${where} leads to ${runbook}`);
  }
});

test("what is planted is found", () => {
  const plant = (from: string, to: string) => readDashboard(dashboard.replace(from, () => to));
  assert.match(
    findUnknown(plant("quintet_relay_dead", "quintet_relay_deaf").asked, metrics).join(),
    /no quintet_relay_deaf/,
  );
  assert.match(
    findUnknown(plant("max(quintet_relay_dead", "sum(quintet_relay_dead").asked, metrics).join(),
    /take max/,
  );
  assert.deepEqual(plant('"x": 8', '"x": 4').faults.length, 1);
  assert.throws(() => plant('"timeseries"', '"timeserie"'));
  assert.throws(() => readAlarms(alarmText.replace("severity: critical", "severity: fatal")));
});

test("the example reads every process with a token, and the alarms beside it", () => {
  const { rule_files, scrape_configs } = parse(scrapeText) as Record<string, unknown[]>;
  assert.deepEqual(rule_files, ["alerts.yml", "conditions.yml"]);
  assert.deepEqual(Object.keys(scrape_configs?.[0] ?? {}).toSorted(), [
    "authorization",
    "job_name",
    "metrics_path",
    "static_configs",
  ]);
});

const promtool = spawnSync("promtool", ["--version"]).error === undefined;
test(
  "promtool takes the alarms, and what the dashboard asks",
  { skip: promtool ? false : "promtool is not installed" },
  async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), "quintet-rules-"));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const check = async (text: string) => {
      const file = path.join(folder, "rules.yml");
      await writeFile(file, text);
      return spawnSync("promtool", ["check", "rules", file], { encoding: "utf8" });
    };
    for (const text of [alarmText, conditionText]) {
      const fine = await check(text);
      assert.equal(fine.status, 0, fine.stderr);
    }
    assert.notEqual((await check(alarmText.replace("max by (part)", "max of (part)"))).status, 0);
    const rules = readDashboard(dashboard).asked.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll("$__rate_interval", "5m"),
    }));
    const panels = await check(JSON.stringify({ groups: [{ name: "panels", rules }] }));
    assert.equal(panels.status, 0, panels.stderr);
  },
);
