import assert from "node:assert/strict";
import type { DiseaseGround } from "./disease-command.ts";
import { at, infoOf, type Module, pageOf, removeOf, type Row, saveOf, unknown, updateOf } from "./disease-modules.ts";
import { decided, type Documented, oneOf, orNull, paged } from "./documented.ts";

const ofName = (name: string, value: unknown) => (row: Row) => assert.equal(row[name], value);

function listPlans(): Documented[] {
  const plan = { id: "int64", title: "string", startTime: "time", publishTime: "time", content: "string" } as const;
  const listed = { ...plan, content: decided("D3", oneOf(null)) } as const;
  const module: Module = {
    header: "undocumented",
    record: plan,
    save: "/eventPlanning/save",
    update: ["PUT", "/eventPlanning/update"],
    body: {
      title: "义诊",
      startTime: "2026-11-20 09:00:00",
      publishTime: "2026-11-01 08:00:00",
      content: "<p>安排</p>",
    },
    change: { title: "义诊改期" },
    wrong: { startTime: "2026-11-31 09:00:00" },
  };
  const span = { startTime: "2026-11-01 00:00:00", endTime: "2026-11-30 00:00:00" };
  let id = 0;
  return [
    saveOf(module, (made) => void (id = made)),
    updateOf(module, () => id),
    pageOf("/eventPlanning/list", listed, ofName("title", "义诊改期"), span),
    {
      call: at("GET", "/eventPlanning/list/groupByMonth"),
      send: () => ({ query: { curPage: undefined, pageSize: undefined, ...span } }),
      answer: { envelope: paged({ month: "string", plannings: [listed] }) },
      check: ({ list: [row] }: { list: { month: string; plannings: Row[] }[] }) =>
        assert.deepEqual([row?.month, row?.plannings[0]?.["id"]], ["2026-11", id]),
      refused: () => ({ query: { startTime: "x" }, code: "10001", status: 400 }),
    },
    infoOf("/eventPlanning/info/{id}", "id", plan, () => id),
    removeOf("undocumented", "/eventPlanning/delete", () => [id]),
  ];
}

function listSummaries(image: () => string): Documented[] {
  const summary = {
    id: "int64",
    title: "string",
    content: "string",
    images: orNull("G27", "string"),
    month: "string",
    publishTime: "time",
  } as const;
  const module: Module = {
    header: "undocumented",
    record: summary,
    save: "/eventPlanningMonthSummary/save",
    update: ["PUT", "/eventPlanningMonthSummary/update"],
    body: { title: "小结", content: "<p>完成</p>", month: "2026-10", publishTime: undefined },
    change: { title: "十月小结" },
    wrong: { month: "2026-13" },
  };
  let id = 0;
  const save = saveOf(module, (made) => void (id = made));
  return [
    { ...save, send: () => ({ body: { ...module.body, images: `${image()},${image()}` } }) },
    updateOf(module, () => id),
    pageOf("/eventPlanningMonthSummary/list", summary, ofName("content", "<p>完成</p>"), { month: "2026-10" }),
    infoOf("/eventPlanningMonthSummary/info/{id}", "id", summary, () => id),
    {
      call: at("GET", "/eventPlanningMonthSummary/{month}/info"),
      send: () => ({ params: { month: "2026-10" } }),
      answer: { envelope: summary },
      check: ofName("title", "十月小结"),
      refused: () => ({ params: { month: "202610" }, code: "10001", status: 400 }),
    },
    removeOf("undocumented", "/eventPlanningMonthSummary/delete", () => [id]),
  ];
}

function listClinics(ground: DiseaseGround): Documented[] {
  const clinic = {
    id: "int64",
    statisticsDate: "string",
    hospitalName: "string",
    feverClinicCount: "int64",
    epidemicCount: "int64",
    updateTime: "time",
  } as const;
  const prefix = "/feverClinicOfHospitalStatistics";
  const row = { statisticsDate: "2026-11-20", hospitalName: "示例一院", feverClinicCount: 31, epidemicCount: 2 };
  let id = 0;
  return [
    {
      call: at("POST", `${prefix}/save`),
      header: "Admin-Token",
      send: () => ({ body: { datas: [{ ...row, id: undefined, updateTime: undefined }] } }),
      check: (data: string) => assert.equal(data, "1"),
      refused: () => ({ body: { datas: [{ ...row, feverClinicCount: -1 }] }, code: "10001", status: 400 }),
    },
    pageOf(`${prefix}/list`, clinic, (found) => void (id = Number(found["id"]))),
    {
      call: at("PUT", `${prefix}/update`),
      header: "Admin-Token",
      send: () => ({ body: { ...row, id, epidemicCount: 3, updateTime: undefined } }),
      refused: () => ({ body: { ...row, id: 999_999 }, ...unknown }),
    },
    {
      call: at("POST", `${prefix}/saveByExcel/{dateStr}`),
      header: "Admin-Token",
      send: () => ({ params: { dateStr: "2026-11-21" }, file: { name: "门诊.xlsx", bytes: ground.clinicBook } }),
      refused: () => ({
        params: { dateStr: "2026-02-30" },
        file: { name: "门诊.xlsx", bytes: ground.clinicBook },
        code: "10001",
        status: 400,
      }),
    },
    {
      call: at("GET", `${prefix}/lastData`),
      answer: { envelope: [clinic] },
      check: ([last]: Row[]) => assert.equal(last?.["statisticsDate"], "2026-11-21"),
    },
    removeOf("Admin-Token", `${prefix}/delete`, () => [id]),
  ];
}

function listSpots(ground: DiseaseGround, image: () => string): Documented[] {
  const spot = {
    id: "int64",
    scenicSpotName: "string",
    scenicSpotDesc: "string",
    responsibler: "string",
    responsiblerPhone: "string",
    numOfEmergencyCrew: "int32",
    numOfEmergencMaterial: "int32",
    image: "string",
    urlOfVr: orNull("G27", "string"),
  } as const;
  const module: Module = {
    header: "undocumented",
    record: spot,
    save: "/scenicSpotOverview/add",
    update: ["PUT", "/scenicSpotOverview/update"],
    body: {
      scenicSpotName: "虚构湖",
      scenicSpotDesc: "湖光",
      responsibler: "测试员乙",
      responsiblerPhone: "5550100003",
      numOfEmergencyCrew: 12,
      numOfEmergencMaterial: 300,
      urlOfVr: undefined,
    },
    change: { numOfEmergencyCrew: 14 },
    wrong: { numOfEmergencyCrew: 1.5, image: "x" },
  };
  let id = 0;
  const withImage = (operation: Documented): Documented => ({
    ...operation,
    send: async () => {
      const sent = (await operation.send?.()) ?? {};
      return { ...sent, body: { ...(sent.body as Row), image: image() } };
    },
  });
  return [
    removeOf("undocumented", "/scenicSpotMaxCapacitySetting/delete", ground.capacityIds),
    withImage(saveOf(module, (made) => void (id = made))),
    withImage(updateOf(module, () => id)),
    pageOf("/scenicSpotOverview/list", spot, ofName("numOfEmergencyCrew", 14)),
    infoOf("/scenicSpotOverview/info/id/{id}", "id", spot, () => id),
    infoOf("/scenicSpotOverview/info/name/{scenicSpotName}", "scenicSpotName", spot, () => "虚构湖"),
    removeOf("undocumented", "/scenicSpotOverview/delete", () => [id]),
  ];
}

function listThemes(): Documented[] {
  const theme = { id: "int64", themeName: "string", enable: oneOf("1", "2") } as const;
  const module: Module = {
    header: "Admin-Token",
    record: theme,
    save: "/theme/save",
    update: ["PUT", "/theme/update"],
    body: { themeName: "日常值守", enable: "2" },
    change: { enable: "1" },
    wrong: { enable: "3" },
  };
  let id = 0;
  return [
    saveOf(module, (made) => void (id = made)),
    updateOf(module, () => id),
    {
      call: at("GET", "/theme/list"),
      answer: { envelope: [theme] },
      check: ([row]: Row[]) => assert.deepEqual([row?.["id"], row?.["enable"]], [id, "1"]),
    },
    {
      call: at("GET", "/theme/currentItem"),
      answer: { envelope: theme },
      check: ofName("themeName", "日常值守"),
    },
    removeOf("Admin-Token", "/theme/delete", () => [id]),
  ];
}

function listToilets(): Documented[] {
  const text = "string";
  const toilet = {
    id: "int64",
    name: text,
    addrDesc: text,
    level: text,
    area: text,
    numOfBarrierFree: "int32",
    numOfThird: "int32",
    numOfMan: "int32",
    numOfWoman: "int32",
    numOfCommon: "int32",
    itemNo: orNull("G27", text),
    longitudeAndLatitude: text,
    status: oneOf("1", "2"),
    sort: "int32",
    thirdOpenFlag: orNull("G27", text),
    thirdOpenId: orNull("G27", text),
  } as const;
  const module: Module = {
    header: "undocumented",
    record: toilet,
    save: "/toilet/save",
    update: ["PUT", "/toilet/update"],
    body: {
      name: "虚构路公厕",
      addrDesc: "虚构路1号",
      level: "1",
      area: "60",
      numOfBarrierFree: 1,
      numOfThird: 1,
      numOfMan: 6,
      numOfWoman: 10,
      numOfCommon: 0,
      longitudeAndLatitude: "150.305500,25.592800",
      itemNo: undefined,
      status: "1",
      sort: 3,
      thirdOpenFlag: undefined,
      thirdOpenId: undefined,
    },
    change: { numOfMan: 7 },
    wrong: { longitudeAndLatitude: "150.3055 25.5928" },
  };
  let id = 0;
  return [
    saveOf(module, (made) => void (id = made)),
    updateOf(module, () => id),
    pageOf("/toilet/page", toilet, ofName("numOfMan", 7), { keyword: "虚构路" }),
    {
      call: at("GET", "/toilet/list/mini"),
      answer: { envelope: [{ id: "int64", name: text, longitudeAndLatitude: text, flag: text }] },
      check: ([row]: Row[]) => assert.deepEqual([row?.["id"], row?.["flag"]], [id, "-1"]),
    },
    infoOf("/toilet/info/{id}", "id", toilet, () => id),
  ];
}

export const listDiseaseCommandPlaces = (ground: DiseaseGround, image: { readonly name: string }): Documented[] => [
  ...listPlans(),
  ...listSummaries(() => image.name),
  ...listClinics(ground),
  ...listSpots(ground, () => image.name),
  ...listThemes(),
  ...listToilets(),
];
