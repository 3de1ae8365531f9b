import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { streamXlsxRows } from "hucre/xlsx";
import { sql } from "#platform/database/index.ts";
import { workbookMime } from "#platform/contract/endpoint.ts";
import { type CallOptions, startTestApp } from "#test/app.ts";
import { sampleReport } from "#test/sample-report.ts";

const app = await startTestApp({ services: ["reporting"] });
const who = await app.signIn("reporting");
const { token } = who;
const prefix = "/reporting/informationReporting";
const download = (options: CallOptions = {}) => app.call("GET", `${prefix}/download`, options);

const headings = {
  zh: "编号 姓名 联系电话 微信绑定手机 单位名称 客户名称 项目名称 项目金额 预计招标时间 项目基本描述 控标参数 所属行业 是否授权 产品 产品类型 附件列表 附件 状态 删除状态 审核结果 备注 报备时间 更新时间".split(
    " ",
  ),
  en: "Id,Name,Phone,Bound phone,Organisation,Customer,Project,Amount,Expected tender time,Description,Bid-control parameters,Industry,Authorised,Product,Product types,Files,File,Status,Deletion,Verdict,Remark,Reported at,Updated at".split(
    ",",
  ),
};

async function read(
  query: CallOptions["query"] = {},
  language: "zh" | "en" = "zh",
): Promise<Record<string, unknown>[]> {
  const response = await fetch(`${app.url}${prefix}/download?${new URLSearchParams(query as Record<string, string>)}`, {
    headers: { admin_token: token, "accept-language": language },
  });
  assert.equal(response.status, 200);
  const [heading = [], ...below] = await Array.fromAsync(
    streamXlsxRows(Buffer.from(await response.arrayBuffer())),
    (row) => row.values,
  );
  assert.deepEqual(heading, headings[language]);
  return below.map((cells) => Object.fromEntries(heading.map((name, index) => [name, cells[index]])));
}

const submit = async (given = {}): Promise<number> =>
  Number((await app.call("POST", `${prefix}/add`, { body: sampleReport(given) })).json.data);
const act = (operation: string, body: unknown) => app.call("DELETE", `${prefix}/${operation}`, { token, body });

const harmful = {
  name: "=1+1",
  phone: "+86 100 0000",
  company: "-cmd|' /C calc'!A0",
  customerName: "@SUM(A1)",
  entryName: "\t=2",
  content: "\r=3",
  projectAmount: "9007199254740993123",
};
const [open, closed, deleted] = [
  await submit({ ...harmful, bFile: ["a", "b"], wxPhone: "100" }),
  await submit({ trade: "医疗" }),
  await submit(),
];
await act("close", { itemId: closed });
await act("valid", { itemId: closed, ps: "资料齐全" });
await act("delete", { ids: [deleted] });

describe("the workbook", () => {
  test("has a column for each field, in both languages, with states in words", async () => {
    const [second = {}, first = {}] = await read();
    const { name, phone, company, customerName, entryName, content, projectAmount } = harmful;
    assert.deepEqual(
      headings.zh.slice(0, 11).map((heading) => first[heading] ?? null),
      [open, name, phone, "100", company, customerName, entryName, projectAmount, "2027-03-15 09:30:00", content, null],
    );
    const { reportingTime, updateTime } = (await app.call("GET", `${prefix}/list`, { token, query: { order: "asc" } }))
      .json.data.list[0];
    assert.deepEqual(
      headings.zh.slice(11).map((heading) => first[heading] ?? null),
      ["教育", "是", null, "交换机; 服务器", "a; b", null, "进行中", "正常", "待审核", null, reportingTime, updateTime],
    );
    assert.deepEqual([second["状态"], second["审核结果"], second["备注"]], ["已关闭", "有效", "资料齐全"]);
    const [inEnglish = {}] = await read({}, "en");
    assert.deepEqual(
      ["Status", "Deletion", "Verdict", "Remark"].map((heading) => inEnglish[heading]),
      ["Closed", "Normal", "Valid", "资料齐全"],
    );
    const [removed = {}] = await read({ status: "0" });
    assert.equal(removed["删除状态"], "已删除");
  });

  const filters: [Record<string, string>, number[]][] = [
    [{}, [closed, open]],
    [{ status: "0" }, [deleted]],
    [{ status: "1" }, [open]],
    [{ status: "2" }, [closed]],
    [{ status: "" }, [closed, open]],
    [{ ids: `${open},${deleted}` }, [open]],
    [{ "ids[]": String(closed) }, [closed]],
    [{ ids: String(deleted), status: "0" }, [deleted]],
    [{ ids: "" }, [closed, open]],
    [{ ids: "," }, [closed, open]],
    [{ ids: "987654" }, []],
    [{ trade: "医疗", name: "测", valid: "1", keyword: "智慧", reportingTime: "2000,9999" }, [closed]],
    [{ reportingTime: "2020" }, []],
  ];
  for (const [query, expected] of filters) {
    test(`of ${JSON.stringify(query)}`, async () => {
      const ids = (await read(query)).map((row) => row["编号"]);
      assert.deepEqual(ids, expected);
    });
  }

  test("takes ids as repeated parameters too, and refuses what is none", async () => {
    const answer = await download({ token, query: { ids: [open, closed] } });
    assert.deepEqual(
      [answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")],
      [200, workbookMime, "no-store"],
    );
    assert.match(
      answer.headers.get("content-disposition") ?? "",
      /^attachment; filename="reports-\d{4}-\d\d-\d\d\.xlsx"$/,
    );
    for (const query of [{ ids: "1,x" }, { ids: "0" }, { status: 3 }, { reportingTime: "x" }])
      assert.equal((await download({ token, query })).json.code, "10001");
  });
});

describe("who may have it", () => {
  const credentials = { userName: who.userName, password: who.password };
  const cookieOf = (value: string) => ({ headers: { cookie: `reporting_download=${value}` } });
  const issue = async (): Promise<string> => (await app.call("POST", `${prefix}/downloadTicket`, { token })).json.data;
  const codeOf = async (options: CallOptions): Promise<string> => (await download(options)).json?.code ?? "workbook";

  test("the cookie of the login, which opens nothing else and leaves with the logout", async () => {
    const login = await app.call("POST", "/reporting/user/login", { body: credentials });
    const [cookie = ""] = login.headers.getSetCookie();
    assert.match(cookie, /^reporting_download=[^;]+; Max-Age=\d+; Path=\/reporting\/; HttpOnly; SameSite=Lax$/);
    const value = /=([^;]+)/.exec(cookie)?.[1] ?? "";
    assert.equal(await codeOf(cookieOf(value)), "workbook");
    assert.equal((await app.call("GET", `${prefix}/list`, cookieOf(value))).json.code, "10012");
    const logout = await app.call("POST", "/reporting/user/logout", { token: login.json.data.token });
    assert.match(logout.headers.getSetCookie()[0] ?? "", /^reporting_download=;.*Expires=Thu, 01 Jan 1970/);
    assert.equal(await codeOf(cookieOf(value)), "10006");
  });

  test("over TLS the cookie is of this host alone, and no other is read", async () => {
    const settings = { TRUSTED_PROXIES: "127.0.0.1", BASE_PATH: "/quintet" };
    const behind = await startTestApp({ services: ["reporting"], settings, beside: app });
    const headers = { "x-forwarded-proto": "https" };
    const login = await behind.call("POST", "/reporting/user/login", { body: credentials, headers });
    const [cookie = ""] = login.headers.getSetCookie();
    assert.match(
      cookie,
      /^__Host-reporting_download\.quintet=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    const { token: own } = login.json.data;
    const codeWith = async (name: string, proto: string): Promise<string> => {
      const sent = { cookie: `${name}=${own}`, "x-forwarded-proto": proto };
      return (await behind.call("GET", `${prefix}/download`, { headers: sent })).json?.code ?? "workbook";
    };
    assert.equal(await codeWith("__Host-reporting_download.quintet", "https"), "workbook");
    for (const planted of ["reporting_download", "__Host-reporting_download", "__host-reporting_download.quintet"])
      assert.equal(await codeWith(planted, "https"), "10012", planted);
    assert.equal(await codeWith("reporting_download", "http"), "workbook");
    const logout = await behind.call("POST", "/reporting/user/logout", { token: own, headers });
    assert.match(logout.headers.getSetCookie()[0] ?? "", /^__Host-reporting_download\.quintet=;.*Path=\/; .*Secure/);
  });

  test("a ticket, once", async () => {
    const ticket = await issue();
    const look = async (at: string) => (await app.call("HEAD", `${prefix}/download`, { query: { ticket: at } })).status;
    assert.deepEqual([await look(ticket), await look(ticket), await look("x")], [200, 200, 401], "HEAD leaves it");
    assert.deepEqual([await codeOf({ query: { ticket } }), await codeOf({ query: { ticket } })], ["workbook", "10006"]);
    const raced = await issue();
    const codes = await Promise.all([1, 2, 3].map(() => codeOf({ query: { ticket: raced } })));
    assert.deepEqual(codes.sort(), ["10006", "10006", "workbook"]);
  });

  test("a ticket for this alone, for a minute, while the session lasts", async () => {
    const lives =
      await app.pool`select round(extract(epoch from expires_at - now())) as seconds from platform.ticket where ${(await issue()) !== ""} order by expires_at desc limit 1`;
    assert.ok(Math.abs(Number(lives[0]?.["seconds"]) - 60) <= 2);
    for (const spoil of [
      sql`update platform.ticket set expires_at = now() - interval '1 second'`,
      sql`update platform.ticket set purpose = 'reporting/another'`,
    ]) {
      const ticket = await issue();
      await app.pool(spoil);
      assert.equal(await codeOf({ query: { ticket } }), "10006");
    }
    const other = await app.signIn("reporting");
    const { json } = await app.call("POST", `${prefix}/downloadTicket`, { token: other.token });
    await app.call("POST", "/reporting/user/logout", { token: other.token });
    assert.equal(await codeOf({ query: { ticket: json.data } }), "10006");
  });

  test("each export has its line in the audit log, and a HEAD request is none", async () => {
    const count = async () =>
      (await app.pool`select from platform.audit where action = 'downloadReports' and user_name = ${who.userName}`)
        .length;
    const before = await count();
    await download({ token, query: { ids: [open] } });
    assert.equal(await count(), before + 1);
    const head = await app.call("HEAD", `${prefix}/download`, { token });
    assert.deepEqual([head.status, head.headers.get("content-type"), await count()], [200, workbookMime, before + 1]);
    const [line] =
      await app.pool`select outcome, records, address from platform.audit where action = 'downloadReports' order by id desc limit 1`;
    assert.deepEqual({ ...line }, { outcome: "done", records: [String(open)], address: "127.0.0.1" });
  });
});
