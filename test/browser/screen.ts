import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import type { TestApp } from "#test/app.ts";
import { openWatched, type Watched } from "#test/browser/console.ts";
import { listModules, toGeoJson, upload, uploadImage } from "#test/disease-command.ts";

export interface WallOptions {
  readonly size?: { readonly width: number; readonly height: number };
  readonly locale?: string;
  readonly query?: string;
}

export async function openWall(browser: Browser, url: string, options: WallOptions = {}): Promise<Watched> {
  const { size: viewport = { width: 1920, height: 1080 }, locale = "zh-CN", query = "" } = options;
  const watched = await openWatched(browser, url, {
    viewport,
    locale,
    reducedMotion: "no-preference",
    hasTouch: true,
  });
  await watched.page.goto(`${url}/screen/${query}`);
  return watched;
}

export const findCutTexts = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const page = document.documentElement;
    const outer = page.scrollWidth > innerWidth || page.scrollHeight > innerHeight ? ["the page scrolls"] : [];
    const shown = [...document.querySelectorAll(".s-wall *")].filter((element) =>
      element.checkVisibility() && element.clientWidth > 2 && !element.closest(".city-map"));
    const cuts = shown.filter((element) => getComputedStyle(element).overflow !== "visible").filter((element) =>
      element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1);
    const beyond = shown.filter((element) => {
      const { right, bottom } = element.getBoundingClientRect();
      return right > innerWidth + 1 || bottom > innerHeight + 1;
    });
    return [...outer, ...[...cuts, ...beyond].map(({ className, textContent }) => className + ": " + textContent)];
  })()`);

/** Finds texts below 24 mm (2.8 rem), which cannot be read at five metres from a 75-inch screen. */
export const findSmallTexts = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const least = 2.79 * parseFloat(getComputedStyle(document.documentElement).fontSize);
    const holdsText = ({ childNodes }) => [...childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
    return [...document.querySelectorAll(".s-wall *")]
      .filter((element) => element.checkVisibility() && holdsText(element))
      .filter((element) => !element.closest(".leaflet-control") && parseFloat(getComputedStyle(element).fontSize) < least)
      .map(({ className, textContent }) => className + ": " + textContent);
  })()`);

export async function fillCity(app: TestApp) {
  const { token, userName } = await app.signIn("disease-command");
  const call = async (method: string, path: string, body: unknown) => {
    const { json } = await app.call(method, `/disease-command${path}`, { token, body });
    assert.equal(json.code, "0", `${path}: ${json.message}`);
    return json.data;
  };
  const image = await uploadImage(app, token);
  const team = Number(await call("POST", "/emergencyTeam/save", { teamName: "流调队" }));
  for (const { save, sample, name } of listModules(image, team))
    for (const n of [1, 2]) if (name !== "plan") await call("POST", save, { ...sample(n), status: "1" });
  const today = new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
  await call("POST", "/eventPlanning/save", { title: "健康宣讲", startTime: `${today} 23:59:59`, content: "x" });
  const hospitals = Array.from({ length: 8 }, (_, n) => `示例市第${n + 1}医院`);
  const datas = ["2026-11-19", "2026-11-20"].flatMap((statisticsDate, day) =>
    hospitals.map((hospitalName, n) => ({
      statisticsDate,
      hospitalName,
      feverClinicCount: 100 - n * 10 + day,
      epidemicCount: n === 0 ? 2 : 0,
    })),
  );
  await call("POST", "/feverClinicOfHospitalStatistics/save", { datas });
  await call("PUT", "/consumptionCategoryStatistics/update", { id: 1, value: 320.5 });
  await call("PUT", "/broadcast/statistics/update", { id: 1, broadcastTime: "07:30-08:30,11:30-12:30,18:00-19:00" });
  await call("POST", "/theme/save", { themeName: "日常值守", enable: "1" });
  const map = JSON.stringify(toGeoJson(["虚构湖1", "东区", "西区"]));
  assert.equal((await upload(app, "/map/save", token, map, "map.json")).json.code, "0");
  return { call, token, userName, image };
}
