import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pino } from "pino";
import { longLimits, migrate, openPool, type Pool } from "#platform/database/index.ts";
import { foldTallies } from "#services/reporting/tally.ts";
import { serverRole } from "#platform/embedded-postgres/address.ts";
import { startEmbeddedPostgres } from "#platform/embedded-postgres/index.ts";
import { migrateJobs } from "#platform/jobs/runner.ts";
import { readSettings, type Settings } from "#quintet/settings.ts";
import { start } from "./child.ts";
import { shoot } from "./measure.ts";

export interface Ground {
  readonly url: string;
  readonly pool: Pool;
  readonly settings: Settings;
  end(): Promise<void>;
}

export const operatorPassword = "bench-Operator-1";

export async function openGround(): Promise<Ground> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "quintet-bench-"));
  const server = await startEmbeddedPostgres({ dataDir });
  await allowCheckpoints(server.administratorUrl);
  const migrating = openPool(server.url, { connections: 1 });
  await migrate(migrating);
  await migrating.end();
  await migrateJobs(server.url);
  // Filling and indexing ten million rows takes longer than the timeouts of a request allow.
  const pool = openPool(server.url, { connections: 4, limits: longLimits });
  const settings = readSettings({
    PORT: "0",
    DATA_DIR: dataDir,
    DATABASE_URL: server.url,
    OPERATOR_PASSWORD: operatorPassword,
    STUDENT_IDENTITY: "header",
    RATE_LIMIT_OPEN: "1000000000",
    RATE_LIMIT_LOGIN: "1000000000",
    LOG_LEVEL: "error",
  });
  return {
    url: server.url,
    pool,
    settings,
    async end() {
      await pool.end();
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface Server {
  readonly address: string;
  readonly pid: number;
  readonly child: ChildProcess;
  readonly end: () => Promise<void>;
}

export async function startServer(
  { url, settings }: Ground,
  env: NodeJS.ProcessEnv,
  file = "./http-quintet.ts",
): Promise<Server> {
  const { child, first, end } = await start(file, [], {
    PORT: "0",
    DATA_DIR: settings.DATA_DIR,
    DATABASE_URL: url,
    OPERATOR_PASSWORD: operatorPassword,
    LOG_LEVEL: "error",
    ...env,
  });
  return { address: first, pid: child.pid ?? 0, child, end };
}

export async function signIn(address: string): Promise<string> {
  const login = await shoot({
    url: `${address}/platform/login`,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ userName: "operator", password: operatorPassword }),
  });
  return (JSON.parse(login) as { data: { token: string } }).data.token;
}

/**
 * Lets the server's role request checkpoints, which it may not do by default. A checkpoint after filling a table keeps
 * the writes of the table out of the next round.
 */
async function allowCheckpoints(administratorUrl: string): Promise<void> {
  const administrators = openPool(administratorUrl, { connections: 1 });
  await administrators.script(`grant pg_checkpoint to ${serverRole}`);
  await administrators.end();
}

export const silent = pino({ level: "silent" });

const day = "timestamptz '2023-11-20 00:00:00+08'";
const spanDays = 1095;
export const rareName = "龘靐齉";
export const rareReports = 50;

/**
 * Drops the indexes, inserts the rows and builds the indexes again, which takes a tenth of the time and gives the same
 * indexes.
 */
export async function insertReports(pool: Pool, script: string): Promise<void> {
  const indexes = await pool<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = 'reporting.report'::regclass and not indisprimary`;
  for (const { name } of indexes) await pool.script(`drop index ${name}`);
  await pool.script(script);
  for (const { definition } of indexes) await pool.script(definition);
}

/**
 * The reports span three years. Fifty of them have a rare name and are from a day on which there are no other reports.
 */
export async function fillReports(pool: Pool, count: number): Promise<void> {
  await insertReports(
    pool,
    `
    insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, content,
      trade, licensing, b_product, closed, verdict, created_at, updated_at)
    select
      case when i % (${count} / ${rareReports}) = 0 then '${rareName}' else
        chr(0x4e00 + ((i::bigint * 7919) % 3000)::int) || chr(0x5a00 + ((i::bigint * 104729) % 3000)::int) || chr(0x5000 + ((i::bigint * 1299709) % 2000)::int) end,
      '555 0100 ' || lpad((i % 10000)::text, 4, '0'), '虚构' || chr(0x5f00 + i % 900) || chr(0x6100 + i % 700) || '科技有限公司',
      '示例客户' || i % 5000, '示例项目' || i, (i % 900) || '万元', now() + (i % 300) * interval '1 day',
      '演示数据', (array['教育','医疗','政府','文化','交通'])[1 + i % 5], '是', array['交换机','服务器'], i % 3 = 0,
      case when i % 50 = 0 then 1 when i % 5000 = 1 then 2 else 0 end, at, at
    from generate_series(1, ${count}) as i,
      lateral (select ${day} + case when i % (${count} / ${rareReports}) = 0 then interval '-10 days' + i % 1000 * interval '1 second'
        else make_interval(secs => (i::float8 / ${count}) * ${spanDays} * 86400) end as at) as times`,
  );
  await pool.script("vacuum analyze reporting.report");
  await foldTallies(pool, "reporting.report");
  await pool.script("vacuum analyze reporting.report_tally, reporting.trade_tally, reporting.report_addition");
}

export const rareDay = "2023-11-10";

export async function fillCity(pool: Pool, toilets: number): Promise<void> {
  await pool.script(`
    insert into disease_command.toilet (name, address, level, area, barrier_free_stalls, third_restrooms, men_stalls,
      women_stalls, common_stalls, longitude_latitude, sort, third_open_flag)
    select '云汀' || i || '号公厕', '云汀路' || i || '号', '一类', '60', 1, 1, 6, 10, 0,
      (150 + i * 0.0001) || ',' || (25 + i * 0.0001), i % 50, case when i % 4 = 0 then i::text end
    from generate_series(1, ${toilets}) as i`);
  await pool.script(`
    insert into disease_command.detection (statistics_date, people_type, detections, abnormal)
    select date '2026-11-20' - d, '人群' || k, 1000 + d, 0 from generate_series(0, 364) as d, generate_series(1, 4) as k;
    insert into disease_command.fever_clinic (statistics_date, hospital, fever_patients, epidemic_patients)
    select date '2026-11-20' - d, '云汀市第' || h || '医院', d + h, 0 from generate_series(0, 364) as d, generate_series(1, 8) as h;
    insert into disease_command.broadcast_record (title, address, broadcast_type, message_type, content)
    select '广播' || i, '云汀广场', '日常', '语音', repeat('请佩戴口罩。', 20) from generate_series(1, 200) as i;
    insert into disease_command.event_plan (title, starts_at, content)
    select '活动' || i, now() + i * interval '1 day', repeat('<p>安排</p>', 200) from generate_series(-300, 30) as i;
    insert into disease_command.month_summary (month, title, content)
    select to_char(now() - i * interval '1 month', 'YYYY-MM'), '小结', repeat('<p>完成</p>', 200) from generate_series(0, 11) as i;
    insert into disease_command.scenic_spot (name, description, person_in_charge, phone, emergency_crew, emergency_material, image)
    select '虚构湖' || i, repeat('湖光', 50), '测试员', '555 0100 0001', 10, 100, 'none.png' from generate_series(1, 20) as i;
    insert into disease_command.theme (name, enabled) values ('日常值守', true), ('应急演练', false)`);
  await pool.script("vacuum analyze");
}

export async function fillPayables(pool: Pool, count: number): Promise<void> {
  await pool.script(`
    insert into tuition_payment.payable (student_no, id_card, student_name, grade, years, college_name, major_name, class_name,
      amount_fen, item_names, item_fen)
    select 'S' || lpad((i / 2)::text, 8, '0'), case when i / 2 % 4 = 0 then '990000' || lpad(i::text, 12, '0') end,
      chr(0x4e00 + ((i::bigint * 7919) % 3000)::int) || chr(0x5a00 + ((i::bigint * 104729) % 3000)::int), (2022 + i / 2 % 4)::text,
      (2025 + i % 2)::text, '虚构学院' || i % 20, '示例专业' || i % 80, '示例班' || i % 400, 600000,
      array['学费', '住宿费', '教材费'], array[480000, 85000, 35000]
    from generate_series(1, ${count}) as i`);
  await pool.script("vacuum analyze tuition_payment.payable");
}
