import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatDateTime } from "#platform/contract/times.ts";
import { startTestApp } from "#test/app.ts";
import { type Body, uploadImage } from "#test/disease-command.ts";
import { meetAtLock } from "#test/meeting.ts";

const app = await startTestApp({ services: ["disease-command"] });
const { token } = await app.signIn("disease-command");

describe("consumption", async () => {
  const call = async (method: string, path: string, body?: unknown, query = {}) =>
    (await app.call(method, `/disease-command/consumptionCategoryStatistics${path}`, { token, body, query })).json;
  const list = async (query = {}) => (await call("GET", "/list", undefined, query)).data;
  const names = ["餐饮", "住宿", "交通", "购物", "娱乐", "旅游"];

  test("the six categories are there from the start, on one page", async () => {
    const { list: categories, ...page } = await list();
    assert.deepEqual(page, { totalCount: 6, pageSize: 10, totalPage: 1, currPage: 1 });
    assert.deepEqual(
      categories.map(({ categoryName, value }: Record<string, unknown>) => [categoryName, value]),
      names.map((name) => [name, 0]),
    );
  });

  test("the value changes, the name does not", async () => {
    const [first] = (await list()).list;
    assert.equal((await call("PUT", "/update", { id: first.id, categoryName: "别的", value: 1234.56 })).data, "1");
    assert.deepEqual((await list()).list[0], { id: first.id, categoryName: "餐饮", value: 1234.56 });
    const sorted = await list({ orderField: "value", order: "desc", pageSize: 1 });
    assert.deepEqual([sorted.list.length, sorted.list[0].id], [1, first.id]);
  });
});

describe("emergency teams", async () => {
  const call = async (method: string, path: string, body?: unknown, query = {}) =>
    (await app.call(method, `/disease-command/emergencyTeam${path}`, { token, body, query })).json;
  const count = async () => (await call("GET", "/statistics")).data;
  const saveTeam = async (teamName: string) => Number((await call("POST", "/save", { teamName })).data);
  const saveMember = async (teamId: number, name: string) => call("POST", "/member/save", { teamId, name });

  test("teams and members are counted", async () => {
    assert.deepEqual(await count(), { teamCount: 0, peopleCount: 0 });
    const [first, second] = [await saveTeam("一队"), await saveTeam("二队")];
    for (const name of ["甲", "乙"]) await saveMember(first, name);
    await saveMember(second, "丙");
    assert.deepEqual(await count(), { teamCount: 2, peopleCount: 3 });
    const members = async (query: object) =>
      (await call("GET", "/member/list", undefined, query)).data.list.map(({ name }: Body) => name);
    assert.deepEqual(await members({ teamId: first }), ["乙", "甲"]);
    assert.deepEqual(await members({}), ["丙", "乙", "甲"]);
    assert.deepEqual(await members({ teamId: 987_654 }), []);
    assert.equal((await call("GET", "/member/list", undefined, { teamId: "x" })).code, "10001");
  });

  test("a member is of a team that exists, and goes with it", async () => {
    const team = await saveTeam("三队");
    const { data: member } = await saveMember(team, "丁");
    assert.equal((await saveMember(987_654, "戊")).code, "10005");
    assert.equal((await call("PUT", "/member/update", { id: Number(member), teamId: 987_654 })).code, "10005");
    const before = await count();
    assert.equal((await call("DELETE", "/delete", [team])).data, "1");
    assert.deepEqual(await count(), { teamCount: before.teamCount - 1, peopleCount: before.peopleCount - 1 });
    assert.equal((await call("DELETE", "/member/delete", [Number(member)])).code, "10005");
  });
});

describe("themes", async () => {
  const call = async (method: string, path: string, body?: unknown) =>
    (await app.call(method, `/disease-command/theme${path}`, { token, body })).json;
  const current = async () => (await call("GET", "/currentItem")).data;
  const save = async (themeName: string, enable: string) =>
    Number((await call("POST", "/save", { themeName, enable })).data);

  test("none is enabled at first", async () => {
    assert.deepEqual(await call("GET", "/currentItem"), { success: true, message: "操作成功", code: "0", data: null });
    assert.deepEqual((await call("GET", "/list")).data, []);
  });

  test("enabling one disables the others", async () => {
    const first = await save("值守", "1");
    assert.deepEqual(await current(), { id: first, themeName: "值守", enable: "1" });
    const second = await save("演练", "2");
    assert.equal((await current()).id, first);
    assert.equal((await call("PUT", "/update", { id: second, enable: "1" })).data, "1");
    assert.deepEqual((await call("GET", "/list")).data, [
      { id: second, themeName: "演练", enable: "1" },
      { id: first, themeName: "值守", enable: "2" },
    ]);
    const third = await save("战时", "1");
    assert.equal((await current()).id, third);
    assert.equal((await call("PUT", "/update", { id: third, enable: "1", themeName: "平时" })).data, "1");
    assert.deepEqual(await current(), { id: third, themeName: "平时", enable: "1" });
    assert.equal((await call("PUT", "/update", { id: third, enable: "2" })).data, "1");
    assert.equal(await current(), null);
  });

  test("a switch that fails changes nothing", async () => {
    const on = await save("在用", "1");
    const off = await save("备用", "2");
    const refused: [string, string, unknown, string][] = [
      ["POST", "/save", { themeName: "备用", enable: "1" }, "10004"],
      ["PUT", "/update", { id: off, themeName: "在用", enable: "1" }, "10004"],
      ["PUT", "/update", { id: off, enable: 1 }, "10001"],
      ["PUT", "/update", { id: off, enable: "0" }, "10001"],
      ["PUT", "/update", { id: off, themeName: "", enable: "1" }, "10001"],
      ["POST", "/save", { themeName: "新" }, "10001"],
      ["POST", "/save", { enable: "1" }, "10001"],
      ["POST", "/save", { themeName: "x".repeat(256), enable: "1" }, "10026"],
    ];
    for (const [method, path, body, code] of refused) {
      assert.equal((await call(method, path, body)).code, code, JSON.stringify(body));
      assert.equal((await current()).id, on);
    }
    assert.equal((await call("DELETE", "/delete", [on, off])).data, "2");
    assert.equal(await current(), null);
  });

  test("of several switches at once one wins", async () => {
    const ids = [await save("甲", "2"), await save("乙", "2"), await save("丙", "2")];
    for (let round = 0; round < 3; round++) {
      const answers = await meetAtLock(
        app.pool,
        (tx) => tx`lock table disease_command.theme in access exclusive mode`,
        () => [
          ...ids.map((id) => call("PUT", "/update", { id, enable: "1" })),
          call("POST", "/save", { themeName: `丁${round}`, enable: "1" }),
        ],
      );
      assert.ok(answers.every(({ code }) => code === "0"));
      const { data } = await call("GET", "/list");
      assert.equal(data.filter(({ enable }: { enable: string }) => enable === "1").length, 1);
    }
  });
});

describe("plans", async () => {
  const call = async (method: string, path: string, body?: unknown, query = {}) =>
    (await app.call(method, `/disease-command/eventPlanning${path}`, { token, body, query })).json;

  const february = ["2026-02-01 00:00:00", "2026-02-28 12:00:00", "2026-02-02 08:00:00"];
  const times = ["2026-01-31 23:59:59", ...february, "2025-12-31 23:59:59", "2026-02-01 00:00:00"];
  for (const [n, startTime] of times.entries())
    assert.equal((await call("POST", "/save", { title: String(n), startTime, content: `c${n}` })).code, "0");

  interface Plan {
    readonly title: string;
    readonly content: null;
  }
  const titles = (plans: Plan[]) => plans.map(({ title }) => Number(title));
  const list = async (query: object) => titles((await call("GET", "/list", undefined, query)).data.list);

  describe("a list", () => {
    const cases: [object, number[]][] = [
      [{}, [5, 4, 3, 2, 1, 0]],
      [{ startTime: "2026-02-01 00:00:00" }, [5, 3, 2, 1]],
      [{ endTime: "2026-02-01 00:00:00" }, [5, 4, 1, 0]],
      [{ startTime: "2026-02-01 00:00:00", endTime: "2026-02-01 00:00:00" }, [5, 1]],
      [{ startTime: "2026-03-01 00:00:00", endTime: "2026-02-01 00:00:00" }, []],
      [{ startTime: "", endTime: "" }, [5, 4, 3, 2, 1, 0]],
      [{ orderField: "startTime" }, [4, 0, 1, 5, 3, 2]],
      [{ orderField: "startTime", order: "desc" }, [2, 3, 5, 1, 0, 4]],
      [{ orderField: "content", order: "desc" }, [5, 4, 3, 2, 1, 0]],
    ];
    for (const [query, expected] of cases)
      test(`of ${JSON.stringify(query)}`, async () => assert.deepEqual(await list(query), expected));

    for (const path of ["/list", "/list/groupByMonth"]) {
      test(`${path} takes times that exist`, async () => {
        const wrong = ["2026-02-29 00:00:00", "2026-02-01", "2026-13-01 00:00:00", "x", "2026-02-01T00:00:00"];
        for (const startTime of wrong)
          for (const query of [{ startTime }, { endTime: startTime }])
            assert.equal((await call("GET", path, undefined, query)).code, "10001", startTime);
      });
    }
  });

  describe("by month", () => {
    const group = async (query: object = {}) => {
      const { data } = await call("GET", "/list/groupByMonth", undefined, query);
      const months = data.list.map(({ month, plannings }: { month: string; plannings: Plan[] }) => {
        assert.ok(plannings.every(({ content }) => content === null));
        return [month, ...titles(plannings)];
      });
      return { ...data, list: months };
    };

    test("months are newest first, and plans in their order", async () => {
      const months = [
        ["2026-02", 1, 5, 3, 2],
        ["2026-01", 0],
        ["2025-12", 4],
      ];
      assert.deepEqual(await group(), { totalCount: 3, pageSize: 10, totalPage: 1, currPage: 1, list: months });
      assert.deepEqual((await group({ order: "asc" })).list, months.toReversed());
      assert.deepEqual((await group({ orderField: "month" })).list, months.toReversed());
      const second = await group({ curPage: 2, pageSize: 2 });
      assert.deepEqual(second, { totalCount: 3, pageSize: 2, totalPage: 2, currPage: 2, list: [months[2]] });
      assert.deepEqual((await group({ curPage: 9, pageSize: 2 })).list, []);
    });

    test("times narrow both months and plans", async () => {
      const query = { startTime: "2026-01-31 23:59:59", endTime: "2026-02-01 23:59:59" };
      const { totalCount, list: months } = await group(query);
      assert.equal(totalCount, 2);
      assert.deepEqual(months.map(String), ["2026-02,1,5", "2026-01,0"]);
    });

    test("sorts by the month alone", async () => {
      assert.equal((await call("GET", "/list/groupByMonth", undefined, { orderField: "title" })).code, "10007");
    });
  });

  test("a plan starts at a time that exists", async () => {
    for (const startTime of ["2026-02-29 00:00:00", "2026-11-31 00:00:00", "2026-11-20", "", 5])
      assert.equal((await call("POST", "/save", { title: "t", content: "c", startTime })).code, "10001");
  });
});

describe("a month's summary", async () => {
  const call = async (method: string, path: string, body?: unknown, query = {}) =>
    (await app.call(method, `/disease-command/eventPlanningMonthSummary${path}`, { token, body, query })).json;
  const images = [await uploadImage(app, token), await uploadImage(app, token)];
  const presentMonth = () => formatDateTime(new Date(), "Asia/Shanghai").slice(0, 7);

  test("is of the present month unless it says another", async () => {
    const before = presentMonth();
    const { data: id } = await call("POST", "/save", { title: "本月", content: "c" });
    const { data } = await call("GET", `/info/${id}`);
    assert.ok([before, presentMonth()].includes(data.month));
    assert.deepEqual((await call("GET", `/${data.month}/info`)).data, data);
    assert.equal((await call("POST", "/save", { title: "又", content: "c", month: "" })).code, "10004");
  });

  test("is found by its month, and a month of any other shape is none", async () => {
    const { data: id } = await call("POST", "/save", { title: "t", content: "<p>全文</p>", month: "2020-02" });
    const { data } = await call("GET", "/2020-02/info");
    assert.deepEqual([data.id, data.content], [Number(id), "<p>全文</p>"]);
    assert.equal((await call("GET", "/2020-03/info")).code, "10005");
    const shapes = ["2020-2", "2020-00", "2020-13", "2020-02-01", "2020%2F02", "%202020-02", "0000-01", "list", "%00"];
    for (const month of shapes) {
      const { code } = await call("GET", `/${month}/info`);
      assert.equal(code, "10001", month);
      assert.equal((await call("GET", "/list", undefined, { month: decodeURIComponent(month) })).code, "10001", month);
    }
    for (const month of [202_002, {}, [], "2020-13", "2020-02-30"])
      assert.equal((await call("POST", "/save", { title: "t", content: "c", month })).code, "10001");
  });

  test("names images that were uploaded", async () => {
    const send = (given: object) => call("POST", "/save", { title: "t", content: "c", ...given });
    const list = `${images[0]}, ${images[1]}`;
    const { data: id } = await send({ month: "2019-01", images: list });
    assert.equal((await call("GET", `/info/${id}`)).data.images, list);
    const [row] = await app.pool`select count(*) as claimed from platform.upload where claimed`;
    assert.equal(row?.["claimed"], 2);
    for (const wrong of ["x.png", `${images[0]},x.png`, `${images[0]},`, ",", " "]) {
      assert.equal((await send({ month: "2019-02", images: wrong })).code, "10007", wrong);
      assert.equal((await call("PUT", "/update", { id: Number(id), images: wrong })).code, "10007", wrong);
    }
    assert.equal((await call("GET", "/2019-02/info")).code, "10005");
    assert.equal((await call("PUT", "/update", { id: Number(id), images: "" })).code, "0");
    assert.equal((await call("GET", `/info/${id}`)).data.images, null);
  });

  test("content may be 2 MiB, in bytes", async () => {
    const most = 2 * 1024 * 1024;
    const send = async (content: string, month: string) => call("POST", "/save", { title: "t", content, month });
    const content = "<p>好</p>".padEnd(most - 2, "x");
    assert.equal(Buffer.byteLength(content), most);
    const { data: id } = await send(content, "2017-01");
    assert.equal((await call("GET", `/info/${id}`)).data.content, content);
    assert.equal((await send(`${content}x`, "2017-02")).code, "10026");
    assert.equal((await send("好".repeat(most / 3 + 1), "2017-02")).code, "10026");
  });
});

describe("filters of our own", () => {
  const fever = (statisticsDate: string, hospitalName: string) => ({
    datas: [{ statisticsDate, hospitalName, feverClinicCount: 1, epidemicCount: 0 }],
  });
  const detection = (statisticsDate: string, peopleType: string) => ({
    statisticsDate,
    peopleType,
    detectionCount: 1,
    abnormalCount: 0,
  });

  for (const [path, of, toBody] of [
    ["/feverClinicOfHospitalStatistics", "hospitalName", fever],
    ["/detectionStatistics", "peopleType", detection],
  ] as const)
    test(`${path}: by day and by ${of}, alone and together`, async () => {
      for (const date of ["2026-11-01", "2026-11-15", "2026-11-30"])
        for (const name of ["甲_1", "甲%1"])
          await app.call("POST", `/disease-command${path}/save`, { token, body: toBody(date, name) });
      const read = async (query: Record<string, string | number>) => {
        const { json } = await app.call("GET", `/disease-command${path}/list`, { query });
        assert.equal(json.code, "0", json.message);
        assert.equal(json.data.list.length, json.data.totalCount);
        return json.data.totalCount as number;
      };
      const cases: [Record<string, string>, number][] = [
        [{}, 6],
        [{ startDate: "2026-11-15" }, 4],
        [{ endDate: "2026-11-15" }, 4],
        [{ startDate: "2026-11-02", endDate: "2026-11-29" }, 2],
        [{ startDate: "2026-11-30", endDate: "2026-11-01" }, 0],
        [{ startDate: "", endDate: "", [of]: "" }, 6],
        [{ [of]: "甲_1" }, 3],
        [{ [of]: "甲" }, 0],
        [{ [of]: "甲%1", startDate: "2026-11-15", endDate: "2026-11-15" }, 1],
      ];
      for (const [query, count] of cases) assert.equal(await read(query), count, JSON.stringify(query));
      for (const startDate of ["2026-02-30", "2026-11", "x"]) {
        const { status, json } = await app.call("GET", `/disease-command${path}/list`, { query: { startDate } });
        assert.deepEqual([status, json.code], [400, "10001"], startDate);
      }
    });
});
