import assert from "node:assert/strict";
import {
  at,
  infoOf,
  type Module,
  newest,
  pageOf,
  removeOf,
  type Row,
  saveOf,
  unknown,
  updateOf,
} from "./disease-modules.ts";
import { decided, type Documented, oneOf, orNull, paged, plus } from "./documented.ts";

// The operations follow sections 2 and 4 B of the interface document, up to the emergency teams.

export interface DiseaseGround {
  readonly userName: string;
  readonly password: string;
  /** The members are created by operations that the document lacks (decision D1). */
  readonly memberIds: () => Promise<number[]>;
  readonly capacityIds: () => Promise<number[]>;
  readonly detectionBook: Uint8Array;
  readonly clinicBook: Uint8Array;
  readonly png: Uint8Array;
  readonly signedIn: (token: string) => void;
}

const administrator = {
  id: "int64",
  userName: "string",
  adminType: oneOf("0", "1"),
  status: oneOf("0", "1"),
  password: plus("G15", oneOf(null)),
} as const;

function listAdministrators(ground: DiseaseGround): Documented[] {
  let colleague = 0;
  const body = { userName: "screen", password: "screen-horse-9", adminType: "1", status: "1" };
  return [
    {
      call: at("POST", "/adminInfo/login"),
      send: () => ({ form: { userName: ground.userName, password: ground.password } }),
      answer: { envelope: { userName: "string", userType: oneOf("0", "1"), token: "string", expireTime: "int64" } },
      check: ({ userType, token }: { userType: string; token: string }) => {
        assert.equal(userType, "0");
        ground.signedIn(token);
      },
      refused: () => ({ form: { userName: ground.userName, password: "x" }, code: "10009", status: 401 }),
    },
    {
      call: at("POST", "/adminInfo/save"),
      header: "Admin-Token",
      send: () => ({ body: { id: undefined, ...body } }),
      check: (data: string) => void (colleague = Number(data)),
      refused: () => ({ body: { ...body, status: "2" }, code: "10001", status: 400 }),
    },
    {
      call: at("GET", "/adminInfo/list"),
      header: "undocumented",
      send: () => ({ query: newest }),
      answer: { envelope: paged(administrator) },
      check: ({ list: [row] }: { list: Row[] }) => assert.equal(row?.["id"], colleague),
      refused: () => ({ query: { orderField: "password" }, code: "10007", status: 400 }),
    },
    {
      call: at("PUT", "/adminInfo/update"),
      header: "Admin-Token",
      send: () => ({ body: { ...body, id: colleague, password: undefined, status: "0" } }),
      refused: () => ({ body: { ...body, id: undefined, password: undefined }, code: "10023", status: 400 }),
    },
    {
      call: at("DELETE", "/adminInfo/delete/{id}"),
      header: "Admin-Token",
      send: () => ({ params: { id: colleague } }),
      refused: () => ({ params: { id: 999_999_999 }, ...unknown }),
    },
  ];
}

const statistics = {
  id: "int64",
  numOfDevice: "int32",
  rateOfInline: "number",
  numOfBroadcasts: "int64",
  broadcastDuration: "int64",
  broadcastTime: "string",
} as const;

const broadcast = {
  id: "int64",
  title: "string",
  address: "string",
  broadcastType: "string",
  messageType: "string",
  content: "string",
  playTime: orNull("G27", "time"),
  extraFile: orNull("G27", "string"),
  extraFileShowUrl: "string",
} as const;

function listBroadcasts(image: () => string): Documented[] {
  let id = 0;
  const figures = { numOfDevice: 120, rateOfInline: 0.95, numOfBroadcasts: 4210, broadcastDuration: 880 };
  const module: Module = {
    header: "undocumented",
    record: broadcast,
    save: "/broadcast/record/add",
    update: ["POST", "/broadcast/record/update"],
    body: {
      title: "演练广播",
      address: "示例广场",
      broadcastType: "演练",
      messageType: "1",
      content: "请有序撤离。",
      playTime: "2026-11-20 09:30:00",
      extraFileShowUrl: undefined,
    },
    change: { content: "演练结束。" },
    wrong: { playTime: "2026-02-30 09:30:00" },
  };
  const add = saveOf(module, (made) => void (id = made));
  return [
    {
      call: at("PUT", "/broadcast/statistics/update"),
      header: "undocumented",
      send: () => ({ body: { id: 1, ...figures, broadcastTime: "07:00-08:30,18:00-19:00" } }),
      refused: () => ({
        body: { id: 1, ...figures, rateOfInline: 95, broadcastTime: "x" },
        code: "10001",
        status: 400,
      }),
    },
    {
      call: at("GET", "/broadcast/statistics/info"),
      answer: { envelope: statistics },
      check: (data: Row) => assert.deepEqual(data, { id: 1, ...figures, broadcastTime: "07:00-08:30,18:00-19:00" }),
    },
    { ...add, send: () => ({ body: { ...module.body, id: undefined, extraFile: image() } }) },
    updateOf(module, () => id),
    {
      call: at("GET", "/broadcast/record/page"),
      send: () => ({ query: { ...newest, title: "广播", broadcastType: "演练", messageType: "1" } }),
      answer: {
        envelope: { numOfBroadcasts: "int64", broadcastDuration: "int64", recordPage: paged(broadcast) },
      },
      check: (data: { numOfBroadcasts: number; recordPage: { list: Row[] } }) => {
        const [row] = data.recordPage.list;
        assert.deepEqual([data.numOfBroadcasts, row?.["id"], row?.["content"]], [4210, id, "演练结束。"]);
        assert.equal(row?.["extraFile"], image());
      },
      refused: () => ({ query: { curPage: 0 }, code: "10001", status: 400 }),
    },
    infoOf("/broadcast/record/info/{recordId}", "recordId", broadcast, () => id),
    removeOf("undocumented", "/broadcast/record/delete", () => [id]),
  ];
}

function listStatistics(ground: DiseaseGround): Documented[] {
  const category = { id: "int64", categoryName: "string", value: "number" } as const;
  const detection: Module = {
    header: "Admin-Token",
    record: {
      id: "int64",
      statisticsDate: "string",
      peopleType: "string",
      detectionCount: "int64",
      abnormalCount: "int64",
      updateTime: "time",
    },
    save: "/detectionStatistics/save",
    body: {
      statisticsDate: "2026-11-20",
      peopleType: "学生",
      detectionCount: 1200,
      abnormalCount: 3,
      updateTime: undefined,
    },
    change: {},
    wrong: { statisticsDate: "2026-02-30" },
  };
  let detectionId = 0;
  return [
    {
      call: at("GET", "/consumptionCategoryStatistics/list"),
      answer: { envelope: paged(category) },
      check: ({ list }: { list: Row[] }) =>
        assert.deepEqual(list.map(({ categoryName }) => categoryName).slice(0, 2), ["餐饮", "住宿"]),
    },
    {
      call: at("PUT", "/consumptionCategoryStatistics/update"),
      header: "undocumented",
      send: () => ({ body: { id: 1, categoryName: "餐饮", value: 12.5 } }),
      refused: () => ({ body: { id: 999_999, value: 1 }, ...unknown }),
    },
    saveOf(detection, (id) => void (detectionId = id)),
    pageOf("/detectionStatistics/list", detection.record, (row) =>
      assert.deepEqual([row["id"], row["detectionCount"]], [detectionId, 1200]),
    ),
    {
      // The document truncates this path; decision D1 completes it.
      call: at("POST", "/detectionStatistics/saveByExcel"),
      header: "Admin-Token",
      send: () => ({ file: { name: "检测.xlsx", bytes: ground.detectionBook } }),
      answer: { envelope: decided("D1", "string") },
      refused: () => ({ file: { name: "检测.xlsx", bytes: Buffer.from("x\u0000") }, code: "10030", status: 400 }),
    },
    removeOf("Admin-Token", "/emergencyTeam/member/delete", ground.memberIds),
    {
      call: at("GET", "/emergencyTeam/statistics"),
      answer: { envelope: { teamCount: "int32", peopleCount: "int32" } },
      check: (data: Row) => assert.deepEqual(data, { teamCount: 1, peopleCount: 0 }),
    },
  ];
}

export const listDiseaseCommand = (ground: DiseaseGround, image: { name: string }): Documented[] => [
  ...listAdministrators(ground),
  {
    call: at("POST", "/file/imageUpload"),
    header: "Admin-Token",
    send: () => ({ file: { name: "图.png", bytes: ground.png } }),
    answer: { envelope: { imageName: "string", url: plus("D11", "string") } },
    check: ({ imageName }: { imageName: string }) => void (image.name = imageName),
    refused: () => ({ file: { name: "a.png", bytes: Buffer.from("text") }, code: "10030", status: 400 }),
  },
  ...listBroadcasts(() => image.name),
  ...listStatistics(ground),
];
