import { buffer } from "node:stream/consumers";
import { type Cell, writeWorkbook } from "#platform/workbooks/index.ts";
import { drawCity, spread } from "./city-map.ts";
import { drawLandscape } from "./landscape.ts";
import type { Demonstration, DemoTools } from "./tools.ts";

const districts = ["云汀", "澄湾", "雾桥", "柳汐", "星浦"];
const hospitals = ["第一医院", "第二医院", "中心医院", "儿童医院", "中医院", "康和医院", "滨海医院", "新区医院"];
const people = ["医务人员", "学生", "交通行业", "社区居民"];
const duties = ["流调溯源", "转运隔离", "环境消杀", "物资保障", "核酸采样", "心理疏导"];
const spots = [
  "澄湾湿地",
  "云汀古塔",
  "雾桥老街",
  "柳汐花海",
  "星浦灯塔",
  "云汀听潮栈道",
  "澄湾望云台",
  "雾桥映月池",
  "柳汐竹影书院",
  "星浦贝壳滩",
];
const themes = ["日常值守", "应急演练", "防汛抗旱", "节日保障"];
const broadcastTypes = ["日常", "演练", "应急"];
const days = 365;
const toilets = 160;

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const phone = (index: number): string => `555 0100 ${String(index).padStart(4, "0")}`;
/** The values vary without randomness, so that every demo looks alike. */
const wave = (index: number, base: number, swing: number): number =>
  Math.round(base + swing * Math.sin(index / 23) + swing * 0.3 * Math.sin(index * 7.3));

interface City {
  readonly tools: DemoTools;
  readonly today: Temporal.PlainDate;
  readonly images: readonly string[];
}

async function loadCity(tools: DemoTools): Promise<void> {
  const known = (await tools.call("GET", "/disease-command/theme/list")) as unknown[];
  if (known.length > 0) return tools.say("disease command: records already exist, so none were added");
  const images: string[] = [];
  for (let n = 0; n < spots.length; n++) {
    const picture = drawLandscape(n);
    const { imageName } = (await tools.upload(
      "/disease-command/file/imageUpload",
      `${pick(spots, n)}.png`,
      picture,
    )) as {
      imageName: string;
    };
    images.push(imageName);
  }
  const city: City = { tools, today: Temporal.Now.plainDateISO(), images };
  for (const load of [loadFigures, loadBroadcasts, loadTeams, loadPlans, loadSpots, loadThemes, loadToilets, loadMap])
    await load(city);
  tools.say(
    `disease command: loaded a city with ${days} days of figures, ${spots.length} scenic spots and ${toilets} toilets`,
  );
}

async function loadFigures({ tools, today }: City): Promise<void> {
  const dates = Array.from({ length: days }, (_, n) => today.subtract({ days: days - 1 - n }).toString());
  const rows = dates.flatMap((date, n) =>
    people.map((kind, k): Cell[] => [date, kind, wave(n + k * 11, 1800 - k * 300, 600), n % (9 + k) === 0 ? 1 : 0]),
  );
  const columns = ["日期", "人群类别", "检测人数", "异常人数"].map((header) => ({ header }));
  const book = await buffer(writeWorkbook({ sheetName: "检测统计", columns, rows: [rows] }));
  await tools.upload("/disease-command/detectionStatistics/saveByExcel", "检测统计.xlsx", book);
  const datas = dates.flatMap((statisticsDate, n) =>
    hospitals.map((name, h) => ({
      statisticsDate,
      hospitalName: `云汀市${name}`,
      feverClinicCount: Math.max(0, wave(n + h * 17, 40 - 3 * h, 18)),
      epidemicCount: (n + h) % 6 === 0 ? 1 : 0,
    })),
  );
  await tools.call("POST", "/disease-command/feverClinicOfHospitalStatistics/save", { datas });
  const { list } = (await tools.call("GET", "/disease-command/consumptionCategoryStatistics/list")) as {
    list: { id: number }[];
  };
  for (const [n, { id }] of list.entries())
    await tools.call("PUT", "/disease-command/consumptionCategoryStatistics/update", {
      id,
      value: 3260.5 - n * 417.25,
    });
}

async function loadBroadcasts({ tools, today, images }: City): Promise<void> {
  const { id } = (await tools.call("GET", "/disease-command/broadcast/statistics/info")) as { id: number };
  await tools.call("PUT", "/disease-command/broadcast/statistics/update", {
    id,
    numOfDevice: 1286,
    rateOfInline: 0.972,
    numOfBroadcasts: 15_840,
    broadcastDuration: 2310,
    broadcastTime: "07:30-08:30,11:30-12:30,18:00-19:00",
  });
  for (let n = 0; n < 48; n++)
    await tools.call("POST", "/disease-command/broadcast/record/add", {
      title: `${pick(districts, n)}片区${pick(broadcastTypes, n)}广播`,
      address: `${pick(districts, n)}街道广播站`,
      broadcastType: pick(broadcastTypes, n),
      messageType: n % 2 === 0 ? "语音" : "文字",
      content: "演示数据：请佩戴口罩，勤洗手，常通风。",
      playTime: `${today.subtract({ days: 47 - n }).toString()} 08:00:00`,
      ...(n % 8 === 0 ? { extraFile: pick(images, n) } : {}),
    });
}

async function loadTeams({ tools }: City): Promise<void> {
  for (const [n, duty] of duties.entries()) {
    const team = { teamName: `${pick(districts, n)}${duty}队`, leader: `队长${n + 1}`, leaderPhone: phone(n), duty };
    const teamId = Number(await tools.call("POST", "/disease-command/emergencyTeam/save", team));
    for (let m = 0; m < 6 + n * 2; m++) {
      const member = {
        teamId,
        name: `队员${n + 1}-${m + 1}`,
        phone: phone(100 + n * 20 + m),
        post: m === 0 ? "副队长" : "队员",
      };
      await tools.call("POST", "/disease-command/emergencyTeam/member/save", member);
    }
  }
}

async function loadPlans({ tools, today, images }: City): Promise<void> {
  for (let n = -11; n <= 1; n++) {
    const month = today.with({ day: 1 }).add({ months: n });
    for (let k = 0; k < 4; k++)
      await tools.call("POST", "/disease-command/eventPlanning/save", {
        title: `${pick(districts, n + 11 + k)}片区${pick(["疫苗接种", "健康宣讲", "应急演练", "环境整治"], k)}`,
        startTime: `${month.with({ day: 4 + k * 7 }).toString()} 09:00:00`,
        content: "<p>演示数据：集合、分组、实施、总结。</p>",
      });
    if (n > 0) continue;
    await tools.call("POST", "/disease-command/eventPlanningMonthSummary/save", {
      title: `${month.year}年${month.month}月工作小结`,
      content: "<p>演示数据：本月活动均按计划完成。</p>",
      images: [pick(images, n + 11), pick(images, n + 12)].join(","),
      month: month.toPlainYearMonth().toString(),
    });
  }
}

async function loadSpots({ tools, images }: City): Promise<void> {
  for (const [n, scenicSpotName] of spots.entries()) {
    await tools.call("POST", "/disease-command/scenicSpotOverview/add", {
      scenicSpotName,
      scenicSpotDesc: `${scenicSpotName}位于${pick(districts, n)}片区，为演示数据。`,
      responsibler: `负责人${n + 1}`,
      responsiblerPhone: phone(300 + n),
      numOfEmergencyCrew: 8 + n * 2,
      numOfEmergencMaterial: 200 + n * 35,
      image: pick(images, n),
    });
    const capacity = { scenicSpotName, maxCapacity: 3000 + n * 500 };
    await tools.call("POST", "/disease-command/scenicSpotMaxCapacitySetting/save", capacity);
  }
}

async function loadThemes({ tools }: City): Promise<void> {
  for (const [n, themeName] of themes.entries())
    await tools.call("POST", "/disease-command/theme/save", { themeName, enable: n === 0 ? "1" : "2" });
}

async function loadToilets({ tools }: City): Promise<void> {
  for (let n = 0; n < toilets; n++) {
    await tools.call("POST", "/disease-command/toilet/save", {
      name: `${pick(districts, n)}${n + 1}号公厕`,
      addrDesc: `${pick(districts, n)}路${n + 1}号`,
      level: pick(["一类", "二类", "三类"], n),
      area: String(40 + (n % 9) * 8),
      numOfBarrierFree: 1,
      numOfThird: n % 3 === 0 ? 1 : 0,
      numOfMan: 4 + (n % 5),
      numOfWoman: 6 + (n % 7),
      numOfCommon: n % 2,
      longitudeAndLatitude: spread(n, toilets).join(","),
      status: n % 20 === 19 ? "2" : "1",
      sort: n,
      ...(n % 4 === 0 ? { thirdOpenFlag: String(n % 7) } : {}),
    });
  }
}

/** One spot has another name on the map, so that the console's list of mismatches has an entry. */
async function loadMap({ tools }: City): Promise<void> {
  const drawn = drawCity(districts, [...spots.slice(0, -1), "星浦贝壳沙滩"]);
  await tools.upload("/disease-command/map/save", "云汀市.geojson", drawn);
}

export const diseaseCommandDemo: Demonstration = { load: loadCity };
