import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { createRandom } from "#test/crash/random.ts";
import { pick } from "#test/pick.ts";
import { sampleReport } from "#test/sample-report.ts";

const app = await startTestApp({ services: ["reporting"] });
const { token } = await app.signIn("reporting");
const prefix = "/reporting/informationReporting";

const add = async (given: Record<string, unknown>): Promise<number> =>
  Number((await app.call("POST", `${prefix}/add`, { body: sampleReport(given) })).json.data);
const similar = async (id: number, as: string | undefined = token) =>
  (await app.call("GET", `${prefix}/similar/${id}`, { token: as })).json;

test("the same project under another name is found, with who was first, and no deleted one", async () => {
  const id = await add({ customerName: "云梦示例大学", entryName: "图书馆座位预约系统建设项目" });
  const later = await add({
    customerName: "云梦示例大学信息中心",
    entryName: "2027年图书馆 座位预约平台采购（二期）",
    company: "晚来示例科技",
  });
  const gone = await add({ customerName: "云梦示例大学", entryName: "图书馆座位预约系统建设项目" });
  await app.call("DELETE", `${prefix}/delete`, { token, body: { ids: [gone] } });
  await add({ customerName: "云梦示例大学", entryName: "食堂油烟净化工程" });
  await add({ customerName: "江夏第一医院", entryName: "图书馆座位预约系统建设项目" });
  const found = (await similar(id)).data as Record<string, unknown>[];
  assert.deepEqual([found[0]?.["id"], found[0]?.["isAlike"], found[0]?.["isEarlier"]], [later, true, false]);
  assert.deepEqual(pick(found.filter(({ isAlike }) => isAlike) as { id: number }[], "id"), [later]);
  assert.equal(((await similar(later)).data as { isEarlier: boolean }[])[0]?.isEarlier, true);
});

const seed = Number(process.env["SEED"] ?? 20_261_127);
const draw = createRandom(seed);
const random = (below: number): number => Math.floor(draw() * below);
const oneOf = (words: string): string => {
  const list = words.split(" ");
  return list[random(list.length)] ?? "";
};
const toCustomer = () =>
  `${oneOf("云 江 青 白 石 南 东 长 金 清 龙 凤 平 安 永")}${oneOf("梦 夏 山 河 桥 湖 岭 滩 洲 溪 口 台 陵 泉 浦")}${oneOf("市 县 区 镇")}${oneOf("第一中学 实验小学 人民医院 师范大学 理工学院 交通局 图书馆 博物馆 妇幼保健院 体育中心")}`;
const toProject = () =>
  `${oneOf("东校区 西校区 门诊楼 住院部 教学楼 实验楼 办公区 地下车库 主机房 操场 会议室 宿舍")}${oneOf("照明 空调 消防 门禁 监控 网络 座椅 电梯 广播 投影 供水 绿化 屋面 标识 安检 储能 充电桩 课桌 多媒体 数据中心")}${oneOf("系统 设备 设施 平台")}${oneOf("建设项目 改造工程 采购项目 升级服务 更新项目")}`;

function rename({ customerName, entryName }: { customerName: string; entryName: string }) {
  const project = entryName.replace(/(建设|改造|采购|升级|更新)(项目|工程|服务)$/, () =>
    oneOf("项目 采购 改造 （二期） 工程"),
  );
  const customer = [customerName, `${customerName}信息中心`, customerName.replace(/[市县区镇]/, "")][random(3)] ?? "";
  const dressed =
    [project, `2027年${project}`, `${customer}${project}`, project.replace(/^(.{3})/, "$1 ")][random(4)] ?? "";
  return { customerName: customer, entryName: dressed };
}

test(
  "of 200 renamed projects 180 are among the first five, and of 1,000 others at most 10 are taken for one",
  atLength,
  async (t) => {
    t.diagnostic(`seed ${seed}`);
    const names = new Map<string, { customerName: string; entryName: string }>();
    while (names.size < 3000) {
      const name = { customerName: toCustomer(), entryName: toProject() };
      names.set(`${name.customerName} ${name.entryName.slice(0, 5)}`, name);
    }
    const all = [...names.values()];
    const renamed = all.slice(0, 200).map(rename);
    const insert = (rows: readonly { customerName: string; entryName: string }[]) =>
      app.pool.values<number>`
      insert into reporting.report (name, phone, company, customer_name, entry_name, project_amount, tender_time, trade, licensing, b_product)
      select 'x', '555 0100', '示例', customer, entry, '1', now(), '教育', '是', '{x}'
      from unnest(${rows.map((row) => row.customerName)}::text[], ${rows.map((row) => row.entryName)}::text[]) as n (customer, entry)
      returning id`;
    const ids = await insert(all);
    const planted = await insert(renamed);
    await app.pool`analyze reporting.report`;
    let found = 0;
    for (const [place, id] of planted.entries())
      if (pick((await similar(id)).data as { id: number }[], "id").includes(ids[place] ?? 0)) found++;
    let wrong = 0;
    for (const id of ids.slice(200, 1200))
      if (((await similar(id)).data as { isAlike: boolean }[]).some(({ isAlike }) => isAlike)) wrong++;
    t.diagnostic(`${found} of 200 found, ${wrong} of 1,000 taken for another`);
    assert.ok(found >= 180 && wrong <= 10);
  },
);
