import type { Page } from "playwright-core";

// The page of a wall display stays open for weeks, so its memory must not grow while data changes day after day.

type Write = (method: string, path: string, body: unknown) => Promise<unknown>;

export interface Held {
  readonly heap: number;
  readonly nodes: number;
  readonly listeners: number;
}

const toDay = (day: number): string => new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10);

export async function playDay(page: Page, write: Write, day: number): Promise<void> {
  const statisticsDate = toDay(day);
  for (let n = 0; n < 4; n++) {
    await write("POST", "/broadcast/record/add", {
      title: `广播 ${day}-${n}`,
      address: "示例广场",
      broadcastType: "日常",
      messageType: "语音",
      content: "x",
    });
    await write("POST", "/detectionStatistics/save", {
      statisticsDate,
      peopleType: `人群${n}`,
      detectionCount: 1000 + ((day * 37 + n * 101) % 900),
      abnormalCount: (day + n) % 3,
    });
  }
  const datas = Array.from({ length: 8 }, (_, n) => ({
    statisticsDate,
    hospitalName: `示例市第${n + 1}医院`,
    feverClinicCount: 20 + ((day * 13 + n * 7) % 60),
    epidemicCount: n % 2,
  }));
  await write("POST", "/feverClinicOfHospitalStatistics/save", { datas });
  await write("PUT", "/consumptionCategoryStatistics/update", { id: 1 + (day % 6), value: 1000 + day });
  await write("PUT", "/broadcast/statistics/update", { id: 1, numOfDevice: 100_000 + day });
  await page.getByText((100_000 + day).toLocaleString("zh-CN"), { exact: true }).waitFor();
  await page.getByText(`前六 · ${statisticsDate}`).waitFor();
}

export async function measureHeld(page: Page): Promise<Held> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.enable");
  for (let n = 0; n < 3; n++) await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await session.send("Memory.getDOMCounters");
  await session.detach();
  return { heap: usedSize, nodes, listeners: jsEventListeners };
}
