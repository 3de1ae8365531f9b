import type { TestApp } from "#test/app.ts";

export const pngBytes = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

export type Body = Record<string, unknown>;

export interface RecordModule {
  readonly name: string;
  readonly save: string;
  readonly update: readonly ["PUT" | "POST", string];
  readonly list: string;
  readonly info?: string;
  readonly remove: string;
  /** Makes a record's body; different numbers give different keys. */
  readonly sample: (n: number) => Body;
  readonly key?: readonly string[];
  readonly optional?: Body;
  readonly unlisted?: string;
  readonly rich?: string;
  readonly change: Body;
}

const twoDigits = (n: number): string => String(n).padStart(2, "0");
const toDay = (n: number): string => `2026-${twoDigits(1 + (n % 12))}-${twoDigits(1 + (n % 28))}`;
export const toMonthText = (n: number): string => `${2020 + Math.floor(n / 12)}-${twoDigits(1 + (n % 12))}`;

/**
 * @param image the name of an uploaded picture
 * @param teamId the id of an emergency team, for records that reference one
 */
export const listModules = (image: string, teamId: number): readonly RecordModule[] => [
  {
    name: "broadcast",
    save: "/broadcast/record/add",
    update: ["POST", "/broadcast/record/update"],
    list: "/broadcast/record/page",
    info: "/broadcast/record/info",
    remove: "/broadcast/record/delete",
    sample: (n) => ({
      title: `演练广播${n}`,
      address: "示例广场",
      broadcastType: "演练",
      messageType: "语音",
      content: "请有序撤离。",
      playTime: "2026-11-20 09:30:00",
      extraFile: image,
    }),
    optional: { playTime: null, extraFile: null },
    change: { content: "演练结束。" },
  },
  {
    name: "detection",
    save: "/detectionStatistics/save",
    update: ["PUT", "/detectionStatistics/update"],
    list: "/detectionStatistics/list",
    remove: "/detectionStatistics/delete",
    sample: (n) => ({ statisticsDate: toDay(n), peopleType: `人群${n}`, detectionCount: 1200, abnormalCount: 3 }),
    key: ["statisticsDate", "peopleType"],
    change: { abnormalCount: 0 },
  },
  {
    name: "team",
    save: "/emergencyTeam/save",
    update: ["PUT", "/emergencyTeam/update"],
    list: "/emergencyTeam/list",
    remove: "/emergencyTeam/delete",
    sample: (n) => ({ teamName: `应急队${n}`, leader: "测试员甲", leaderPhone: "555 0100 0001", duty: "转运" }),
    key: ["teamName"],
    optional: { leader: null, leaderPhone: null, duty: null },
    change: { duty: "消杀" },
  },
  {
    name: "member",
    save: "/emergencyTeam/member/save",
    update: ["PUT", "/emergencyTeam/member/update"],
    list: "/emergencyTeam/member/list",
    remove: "/emergencyTeam/member/delete",
    sample: (n) => ({ teamId, name: `队员${n}`, phone: "555 0100 0002", post: "司机" }),
    optional: { phone: null, post: null },
    change: { post: "护士" },
  },
  {
    name: "plan",
    save: "/eventPlanning/save",
    update: ["PUT", "/eventPlanning/update"],
    list: "/eventPlanning/list",
    info: "/eventPlanning/info",
    remove: "/eventPlanning/delete",
    sample: (n) => ({
      title: `活动${n}`,
      startTime: `${toDay(n)} 09:00:00`,
      publishTime: "2026-01-01 08:00:00",
      content: "<p>安排</p>",
    }),
    optional: { publishTime: "now" },
    unlisted: "content",
    rich: "content",
    change: { title: "改期" },
  },
  {
    name: "summary",
    save: "/eventPlanningMonthSummary/save",
    update: ["PUT", "/eventPlanningMonthSummary/update"],
    list: "/eventPlanningMonthSummary/list",
    info: "/eventPlanningMonthSummary/info",
    remove: "/eventPlanningMonthSummary/delete",
    sample: (n) => ({
      title: `小结${n}`,
      content: "<p>完成</p>",
      images: `${image},${image}`,
      month: toMonthText(n),
      publishTime: "2026-01-01 08:00:00",
    }),
    key: ["month"],
    optional: { images: null, publishTime: "now" },
    rich: "content",
    change: { title: "改" },
  },
  {
    name: "scenic spot",
    save: "/scenicSpotOverview/add",
    update: ["PUT", "/scenicSpotOverview/update"],
    list: "/scenicSpotOverview/list",
    info: "/scenicSpotOverview/info/id",
    remove: "/scenicSpotOverview/delete",
    sample: (n) => ({
      scenicSpotName: `虚构湖${n}`,
      scenicSpotDesc: "湖光",
      responsibler: "测试员乙",
      responsiblerPhone: "555 0100 0003",
      numOfEmergencyCrew: 12,
      numOfEmergencMaterial: 300,
      image,
      urlOfVr: "https://vr.example/1",
    }),
    key: ["scenicSpotName"],
    optional: { urlOfVr: null },
    change: { numOfEmergencMaterial: 0 },
  },
  {
    name: "capacity",
    save: "/scenicSpotMaxCapacitySetting/save",
    update: ["PUT", "/scenicSpotMaxCapacitySetting/update"],
    list: "/scenicSpotMaxCapacitySetting/list",
    remove: "/scenicSpotMaxCapacitySetting/delete",
    sample: (n) => ({ scenicSpotName: `虚构湖${n}`, maxCapacity: 5000 }),
    key: ["scenicSpotName"],
    change: { maxCapacity: 0 },
  },
  {
    name: "toilet",
    save: "/toilet/save",
    update: ["PUT", "/toilet/update"],
    list: "/toilet/page",
    info: "/toilet/info",
    remove: "/toilet/delete",
    sample: (n) => sampleToilet(n),
    key: ["name"],
    optional: { itemNo: null, status: "1", sort: 0, thirdOpenFlag: null, thirdOpenId: null },
    change: { numOfMan: 0 },
  },
];

export const sampleToilet = (n: number): Body => ({
  name: `公厕${n}`,
  addrDesc: "示例路1号",
  level: "一类",
  area: "60.5",
  numOfBarrierFree: 1,
  numOfThird: 1,
  numOfMan: 6,
  numOfWoman: 10,
  numOfCommon: 0,
  longitudeAndLatitude: "114.305500,30.592800",
  itemNo: `XM-${n}`,
  status: "2",
  sort: -5,
  thirdOpenFlag: "7",
  thirdOpenId: "t-7",
});

export const upload = (app: TestApp, path: string, token: string, bytes: Uint8Array | string, name = "file") =>
  app.call("POST", `/disease-command${path}`, { token, file: [name, bytes] });

export async function uploadImage(app: TestApp, token: string): Promise<string> {
  const { json } = await upload(app, "/file/imageUpload", token, pngBytes, "图.png");
  return json.data.imageName;
}

export const square = (west: number, south: number, width = 0.01): [number, number][][] => [
  [
    [west, south],
    [west + width, south],
    [west + width, south + width],
    [west, south + width],
    [west, south],
  ],
];

/** Each name gets a square, in rows of 25 that start at longitude 114.3; the first row is at latitude 30.5. */
export const toGeoJson = (names: readonly string[]) => ({
  type: "FeatureCollection",
  features: names.map((name, n) => ({
    type: "Feature",
    properties: { name },
    geometry: {
      type: "Polygon",
      coordinates: square(114.3 + (n % 25) * 0.012, 30.5 + Math.floor(n / 25) * 0.012),
    },
  })),
});
