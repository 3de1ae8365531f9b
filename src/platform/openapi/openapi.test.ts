import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { dereference } from "#test/dereference.ts";
import { contracts } from "#quintet/app.ts";
import { describeApi } from "./index.ts";

const info = { title: "Sample", version: "1.2.3", basePath: "/sample" };
const copy = (value: unknown) => JSON.parse(JSON.stringify(value));
const document = dereference(copy(describeApi(contracts, info)));
const operation = (method: string, path: string) => document.paths[path][method];

test("the document of all contracts, and of each, is valid OpenAPI 3.1", async () => {
  for (const described of [contracts, ...contracts.map((one) => [one])]) {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(copy(describeApi(described, info)));
    assert.equal(valid, true, JSON.stringify(errors));
    assert.equal(validator.version, "3.1");
  }
});

test("whole numbers are integers of the width that the documents give them", () => {
  const numbers: [string, Record<string, unknown>][] = [];
  const collect = (place: string, node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const schema = node as Record<string, unknown>;
    if (schema["type"] === "integer") numbers.push([place, schema]);
    for (const [key, part] of Object.entries(schema)) collect(`${place}/${key}`, part);
  };
  collect("", document.paths);
  const widths = new Map<string, Set<unknown>>();
  for (const [place, { format }] of numbers) {
    const field = place.split("/").at(-1) ?? "";
    widths.set(field, (widths.get(field) ?? new Set()).add(format));
  }
  const widthOf = (...names: string[]) => new Set(names.flatMap((name) => [...(widths.get(name) ?? ["missing"])]));
  const page = ["totalCount", "pageSize", "totalPage", "currPage"];
  const reporting = ["adminType", "status", "delStatus"];
  const attendance = ["attendanceDays", "leTwentyLateNumber", "sumAttendanceInMoxuanhu", "abnormalClockNumber"];
  const city = ["numOfDevice", "teamCount", "peopleCount", "numOfEmergencyCrew", "numOfCommon", "sort"];
  assert.deepEqual([...widthOf(...page, ...reporting, ...attendance, ...city, "statu")], ["int32"]);
  const long = ["id", "expireTime", "numOfBroadcasts", "broadcastDuration", "detectionCount", "epidemicCount"];
  assert.deepEqual([...widthOf(...long)], ["int64"]);
});

test("documented fields that are passed over stand there as such", () => {
  const { paths } = document;
  const unread = (method: string, path: string): string[] => {
    const { schema } = paths[path][method].requestBody.content["application/json"];
    const { properties, required = [] } = schema.properties.datas?.items ?? schema;
    return Object.entries<{ description?: string }>(properties)
      .filter(([name, { description }]) => description === "Accepted but ignored" && !required.includes(name))
      .map(([name]) => name);
  };
  const city = "/disease-command";
  const cases: [string, string, string[]][] = [
    ["post", "/reporting/user/add", ["id"]],
    ["post", "/tuitionpayment/admininfo/save", ["id"]],
    ["post", `${city}/adminInfo/save`, ["id"]],
    ["post", `${city}/broadcast/record/add`, ["id", "extraFileShowUrl"]],
    ["post", `${city}/broadcast/record/update`, ["extraFileShowUrl"]],
    ["put", `${city}/consumptionCategoryStatistics/update`, ["categoryName"]],
    ["post", `${city}/detectionStatistics/save`, ["id", "updateTime"]],
    ["post", `${city}/feverClinicOfHospitalStatistics/save`, ["id", "updateTime"]],
    ["put", `${city}/feverClinicOfHospitalStatistics/update`, ["updateTime"]],
    ["post", `${city}/eventPlanning/save`, ["id"]],
    ["post", `${city}/eventPlanningMonthSummary/save`, ["id"]],
    ["post", `${city}/scenicSpotOverview/add`, ["id"]],
    ["post", `${city}/theme/save`, ["id"]],
    ["post", `${city}/toilet/save`, ["id"]],
    ["put", `${city}/theme/update`, []],
  ];
  for (const [method, path, names] of cases) assert.deepEqual(unread(method, path), names, path);
});

test("a body is required unless the operation takes none", () => {
  assert.equal(operation("post", "/reporting/informationReporting/add").requestBody.required, true);
  assert.equal(operation("post", "/tuitionpayment/desk/{id}/{action}").requestBody.required, undefined);
});

test("the failures of an operation follow from its record, in its service's codes", () => {
  const statusesAt = (method: string, path: string) => Object.keys(operation(method, path).responses).join(" ");
  assert.equal(statusesAt("post", "/reporting/user/login"), "200 400 401 403 413 423 429 500 503");
  assert.equal(statusesAt("get", "/platform/publicKey"), "200 500 503");
  for (const [method, path, status, codes] of [
    ["post", "/reporting/user/login", "401", "10009"],
    ["post", "/reporting/user/login", "423", "20002"],
    ["get", "/reporting/informationReporting/list", "401", "10006 10012"],
    ["get", "/reporting/informationReporting/list", "400", "10001 10007 10026"],
    ["delete", "/reporting/informationReporting/delete", "400", "10001 10002 10023 10026"],
    ["get", "/reporting/informationReporting/info/{itemId}", "404", "10005"],
    ["post", "/reporting/informationReporting/add", "409", "10004"],
    ["post", "/reporting/file/fileUpDown", "413", "10030"],
    ["post", "/wx/wxc/receive", "400", "11001 11002 16009"],
  ] as const) {
    const { schema } = operation(method, path).responses[status].content["application/json"];
    assert.equal(schema.allOf[1].properties.code.enum.join(" "), codes, `${path} ${status}`);
  }
});

test("tokens are asked for where the record asks for them", () => {
  assert.deepEqual(operation("get", "/platform/publicKey").security, []);
  const headers = [{ admin_token: [] }, { "admin-token": [] }, { "Admin-Token": [] }];
  const tokens = [...headers, { accessKey: [] }];
  assert.equal(operation("get", "/reporting/informationReporting/list").security, undefined);
  assert.deepEqual(document.security, tokens);
  assert.deepEqual(operation("get", "/reporting/informationReporting/download").security, [
    ...tokens,
    { "reporting.cookie": [] },
    { ticket: [] },
  ]);
  const { "reporting.cookie": cookie, ticket, ...schemes } = document.components.securitySchemes;
  for (const spelling of headers.flatMap((one) => Object.keys(one)))
    assert.deepEqual([schemes[spelling].in, schemes[spelling].name], ["header", spelling]);
  assert.deepEqual([schemes.accessKey.type, schemes.accessKey.scheme], ["http", "bearer"]);
  assert.deepEqual([cookie.in, cookie.name], ["cookie", "__Host-reporting_download"]);
  assert.deepEqual([ticket.in, ticket.name], ["query", "ticket"]);
});

test("two operations on one path are refused", () => {
  const reporting = contracts.filter(({ name }) => name === "reporting");
  assert.throws(() => describeApi([...reporting, ...reporting], info), /POST \/reporting\//);
});
