import type { Db } from "#platform/database/index.ts";
import type { Demonstration, DemoTools } from "./tools.ts";

// The data is fictitious: phone numbers with 555, and names that no company has.
const partners = ["星河测试科技", "云雀示例信息", "蓝湖虚构电子", "青柠样例软件", "晨曦演示网络", "北辰假设系统"];
const customers = ["示例大学", "虚构第一医院", "样板中学", "演示市图书馆"];
const projects = ["智慧教室", "校园网改造", "数据中心扩容", "门禁系统", "多媒体报告厅", "无线覆盖"];
const trades = ["教育", "医疗", "政府", "文化"];
const people = ["测试员甲", "测试员乙", "测试员丙", "测试员丁"];

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? "";
const reportCount = 48;

function makeReport(index: number) {
  const month = String((index % 12) + 1).padStart(2, "0");
  return {
    name: pick(people, index),
    phone: `555 0100 ${String(index).padStart(4, "0")}`,
    company: `${pick(partners, index)}有限公司`,
    customerName: pick(customers, index + 1),
    entryName: `${pick(customers, index + 1)}${pick(projects, index)}项目`,
    projectAmount: `${(index + 1) * 15}万元`,
    tenderTime: `2027-${month}-15 09:30:00`,
    content: "演示数据，与真实单位和个人无关。",
    trade: pick(trades, index),
    licensing: index % 3 === 0 ? "否" : "是",
    bProduct: index % 2 === 0 ? ["交换机", "服务器"] : ["投影机"],
  };
}

async function load(tools: DemoTools): Promise<void> {
  const call: DemoTools["call"] = (method, path, body) => tools.call(method, path, body);
  const ids: number[] = [];
  for (let index = 0; index < reportCount; index++)
    ids.push(Number(await call("POST", "/reporting/informationReporting/add", makeReport(index))));
  for (const [index, itemId] of ids.entries()) {
    if (index % 4 === 1) await call("DELETE", "/reporting/informationReporting/valid", { itemId, ps: "资料齐全" });
    if (index % 4 === 2)
      await call("DELETE", "/reporting/informationReporting/invalid", { itemId, ps: "与已有报备重复" });
    if (index % 6 === 5) await call("DELETE", "/reporting/informationReporting/close", { itemId });
  }
  await call("DELETE", "/reporting/informationReporting/delete", { ids: ids.filter((_, index) => index % 16 === 3) });
  await backdate(
    tools.db,
    ids.map((id, index) => ({ id, hoursAgo: toHoursAgo(reportCount - 1 - index) })),
  );
  tools.say(`reporting: loaded ${reportCount} reports from six weeks, some of them reviewed, closed or deleted`);
}

function toHoursAgo(place: number): number {
  const daysAgo = Math.floor(place * 0.9);
  return daysAgo === 0 ? place / 2 : daysAgo * 24 + ((place * 7) % 9) - 4;
}

interface Backdated {
  readonly id: number;
  readonly hoursAgo: number;
}

const hoursBetween = 20;

async function backdate(db: Db, reports: readonly Backdated[]): Promise<void> {
  const ids = reports.map(({ id }) => id);
  await db`
    update reporting.report set created_at = now() - given.hours * interval '1 hour'
    from unnest(${ids}::bigint[], ${reports.map(({ hoursAgo }) => hoursAgo)}::float8[]) as given (id, hours)
    where report.id = given.id`;
  await db`
    with placed as (
      select event.id, least(now(), report.created_at + ${hoursBetween} * interval '1 hour'
        * row_number() over (partition by report.id order by event.at, event.id)) as at
      from reporting.report_event as event join reporting.report on report.id = event.report_id
      where report.id = any (${ids}::bigint[])
    )
    update reporting.report_event as event set at = placed.at from placed where event.id = placed.id`;
  await db`
    update reporting.report set updated_at = coalesce(
      (select max(at) from reporting.report_event where report_id = report.id), created_at)
    where id = any (${ids}::bigint[])`;
}

export const reportingDemo: Demonstration = { load };
