// The mix of a busy day at a university and its city: 80 % reads, 15 % writes, 5 % uploads and exports.
import type { Pool } from "#platform/database/index.ts";
import { sampleReport } from "#test/sample-report.ts";
import { fillCity, fillPayables, fillReports } from "./ground.ts";
import { addCampusApp, makePushes, replaceProjects } from "./relay-ground.ts";

export const services = ["reporting", "push-relay", "tuition-payment", "disease-command"] as const;
const reports = 20_000;
const toilets = 200;
const payables = 200_000;

/** Fills the tables for the mix. The project is paused, so that the load of a receiver is not measured. */
export async function fillForMix(pool: Pool): Promise<void> {
  await fillReports(pool, reports);
  await fillCity(pool, toilets);
  await fillPayables(pool, payables);
  await addCampusApp(pool);
  await replaceProjects(pool, ["http://receiver.invalid/"]);
  await pool`update push_relay.project set paused = true where deleted_at is null`;
  await pool.script("checkpoint");
}

export interface Call {
  readonly path: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

type Make = () => Call;

export type Bare = (pool: Pool) => Promise<unknown>;

interface Kind {
  readonly share: number;
  readonly make: Make;
  readonly bare: Bare;
}

const json = { "content-type": "application/json" } as const;
const pickCard = (): string => `S${String(1 + Math.floor((Math.random() * (payables - 2)) / 2)).padStart(8, "0")}`;
const pickMonth = (): string => `2025-${String(1 + Math.floor(Math.random() * 12)).padStart(2, "0")}`;

const boundary = "quintet-bench-boundary";
const photograph = Buffer.concat([Buffer.from("ffd8ffe000104a46494600", "hex"), Buffer.alloc(40_000, 1)]);
const uploadBody = Buffer.concat([
  Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="form.jpg"\r\ncontent-type: image/jpeg\r\n\r\n`,
  ),
  photograph,
  Buffer.from(`\r\n--${boundary}--\r\n`),
]);

const insertReport: Bare = (pool) => pool`
  insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade,
    licensing, b_product)
  values ('测试员甲', '555 0100 0001', '星河测试科技', '示例大学', '智慧教室', '15万元', '2027-03-15T01:30:00Z', '教育', '是',
    array['交换机', '服务器']) returning id`;

function listKinds(token: string): Kind[] {
  const nextPush = makePushes();
  const report = JSON.stringify(sampleReport());
  const administrator = { admin_token: token };
  const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    ({ path, method: "GET", headers }) as const;
  const post = (path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = json) =>
    ({ path, method: "POST", headers, body }) as const;
  return [
    {
      share: 200,
      make: () => get("/reporting/informationReporting/list", administrator),
      bare: (pool) => pool`select * from reporting.report where not deleted order by created_at desc, id desc limit 10`,
    },
    {
      share: 300,
      make: () => get("/tuitionpayment/payableinfo/payableInfo", { card_number: pickCard() }),
      bare: (pool) =>
        pool`select * from tuition_payment.payable where student_no = ${pickCard()} order by years limit 1`,
    },
    {
      share: 150,
      make: () => get("/disease-command/theme/currentItem"),
      bare: (pool) => pool`select id, name, enabled from disease_command.theme where enabled`,
    },
    {
      share: 150,
      make: () => get("/disease-command/toilet/list/mini"),
      bare: (pool) =>
        pool`select id, name, longitude_latitude, third_open_flag from disease_command.toilet where open order by sort, id`,
    },
    { share: 80, make: () => post("/reporting/informationReporting/add", report), bare: insertReport },
    {
      share: 70,
      make: () => post("/wx/wxc/receive", nextPush()),
      bare: (pool) => pool`
        insert into push_relay.event (public_id, event, subject_id, subject, body)
        values (gen_random_uuid(), 'updateUser', 1, '10000001', ${report})`,
    },
    {
      share: 30,
      make: () =>
        post("/reporting/file/fileUpDown", uploadBody, { "content-type": `multipart/form-data; boundary=${boundary}` }),
      bare: (pool) => pool`select 1`,
    },
    {
      share: 20,
      make: () => get(`/reporting/informationReporting/download?reportingTime=${pickMonth()}`, administrator),
      bare: (pool) => pool`
        select * from reporting.report
        where created_at >= ${new Date(`${pickMonth()}-01T00:00:00+08:00`)}
          and created_at < ${new Date(`${pickMonth()}-01T00:00:00+08:00`)}::timestamptz + interval '1 month'`,
    },
  ];
}

export function openMix(token: string): () => Call {
  const next = pickByShare(listKinds(token));
  return () => next().make();
}

export function openBareMix(): () => Bare {
  const next = pickByShare(listKinds(""));
  return () => next().bare;
}

function pickByShare(kinds: readonly Kind[]): () => Kind {
  const thousand = kinds.flatMap((kind) => Array.from({ length: kind.share }, () => kind));
  return () => thousand[Math.floor(Math.random() * thousand.length)] as Kind;
}
