import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listRights, requiredGroup } from "#platform/contract/rights.ts";
import { contracts, serviceNames } from "#quintet/app.ts";
import { type CallOptions, loginPaths, type SignedIn, startTestApp, testPassword } from "#test/app.ts";
import { atLength } from "#test/at-length.ts";
import { fillPlatform, findForeignAnswers, findWronglyAnswered, readOthers } from "#test/every-operation.ts";

// By default GET needs the right to read and any other method the right to write; these are the exceptions. `asFile`
// lists the reads that need the right to export if they return a file.
const otherwise: Record<string, Record<string, string>> = {
  platform: {
    accounts:
      "listOperators createOperator updateOperator deleteOperators listSessions deleteSessions listCampusIdentities addCampusIdentity deleteCampusIdentities listServiceAccounts createServiceAccount updateServiceAccount deleteServiceAccounts listAccessKeys createAccessKey rotateAccessKey revokeAccessKeys readAccessKeyUse",
    audit: "listAudit exportAudit",
    // Two handlers, listFactorHolders and resetFactors, check the right themselves, since the right depends on the
    // service of the other account.
    own: "logout updatePassword readOwnSession listOwnSessions deleteOwnSessions readOwnFactors showCode beginShowPasskey showPasskey beginTotp confirmTotp beginPasskey addPasskey renameFactor deleteFactor renewRecoveryCodes listFactorHolders resetFactors listScopes readInstitution readOwnContact changeOwnContact",
  },
  reporting: {
    accounts: "listAdministrators addAdministrator updateAdministrator deleteAdministrators",
    export: "downloadReports issueDownloadTicket",
    own: "logout updatePassword",
  },
  attendance: {
    read: "previewSettings",
    write: "analyse",
    export: "downloadDepartments",
    asFile: "download readVersion compare",
  },
  "push-relay": { write: "readSecret" },
  "tuition-payment": {
    accounts: "listAdministrators saveAdministrator updateAdministrator deleteAdministrator",
    own: "logout updatePassword",
    money:
      "setPayLimit recordPayment adjustPayable undoAdjustment refundOrder giveBackOrder refundAgain refundOutside approveRefund refuseRefund refundMany importRefunds actAtDesk runReconciliation handleReconciliation settleBooks",
    export: "exportPayables exportAdjustments exportJournal exportJournalAsCsv exportOrders",
  },
  "disease-command": {
    accounts: "listAdministrators saveAdministrator updateAdministrator deleteAdministrator",
    own: "logout updatePassword",
  },
};

const app = await startTestApp();
const operator = await app.signIn("platform");

async function narrow(rights: readonly string[], services?: string[]): Promise<SignedIn> {
  const who = await app.signIn("platform", services ? { services } : {});
  await app.pool`update platform.account set rights = ${rights} where id = ${who.id}`;
  return who;
}
type Caller = Pick<SignedIn, "token">;
const call = async (by: Caller, method: string, path: string, options: CallOptions = {}) => {
  const { json, status } = await app.call(method, path, { token: by.token, ...options });
  return json?.code ?? String(status);
};
const save = (by: Caller, body: object) => call(by, "POST", "/platform/operator/save", { body });
const update = (by: Caller, body: object) => call(by, "PUT", "/platform/operator/update", { body });
let names = 0;
const fresh = () => ({ userName: `narrow-${++names}`, password: testPassword });

const lists: readonly [right: string, method: string, path: string][] = [
  ["platform.read", "GET", "/platform/settings"],
  ["platform.accounts", "GET", "/platform/operator/list"],
  ["platform.audit", "GET", "/platform/audit"],
  ["platform.audit", "GET", "/platform/audit/export"],
  ["reporting.read", "GET", "/reporting/informationReporting/list"],
  ["reporting.export", "GET", "/reporting/informationReporting/download"],
  ["attendance.read", "GET", "/attendance/month/months"],
  ["push-relay.read", "GET", "/wx/push/queryPushProject"],
  ["tuition-payment.read", "GET", "/tuitionpayment/order/list"],
  ["tuition-payment.export", "GET", "/tuitionpayment/payableinfo/export"],
  ["disease-command.read", "GET", "/disease-command/emergencyTeam/list"],
];

test("a call takes reading or writing by its method, but for those that are listed", () => {
  const found = contracts.flatMap(({ name: service, endpoints }) =>
    Object.entries(endpoints).flatMap(([name, endpoint]) => {
      const takes = requiredGroup(endpoint);
      const usual = endpoint.method === "GET" ? "read" : "write";
      return [
        ...(takes === undefined || takes === usual ? [] : [`${service} ${name} ${takes}`]),
        ...(requiredGroup(endpoint, true) === takes ? [] : [`${service} ${name} asFile`]),
      ];
    }),
  );
  const listed = Object.entries(otherwise).flatMap(([service, groups]) =>
    Object.entries(groups).flatMap(([group, operations]) =>
      operations.split(" ").map((name) => `${service} ${name} ${group}`),
    ),
  );
  assert.deepEqual(found.toSorted(), listed.toSorted());
});

describe("an operator whose rights are narrowed", () => {
  test("may do what the rights say and is refused all else, which the audit log tells", async () => {
    for (const [right, method, path] of lists) {
      const [one, other] = [
        await narrow([right]),
        await narrow(listRights(["platform", ...serviceNames]).filter((any) => any !== right)),
      ];
      const refused = contracts.find(({ name }) => right.startsWith(name))?.problems.forbidden.code;
      assert.ok(["0", "200"].includes(await call(one, method, path)), `${right}: ${path}`);
      assert.equal(await call(other, method, path), refused, `without ${right}: ${path}`);
      const [line] = await app.pool`
        select outcome from platform.audit where account_id = ${other.id} and action <> 'login' order by id desc limit 1`;
      assert.deepEqual(line, { outcome: "refused" });
    }
    const reader = await narrow(["tuition-payment.read", "tuition-payment.write", "reporting.read", "attendance.read"]);
    const refund = { body: { reason: "twice" } };
    for (const [method, path, options] of [
      ["POST", "/tuitionpayment/order/refund/1", refund],
      ["PUT", "/tuitionpayment/payableinfo/pay/1/true", {}],
      ["DELETE", "/reporting/informationReporting/delete", { body: { ids: [1] } }],
      ["GET", "/metrics", {}],
    ] as const)
      assert.equal(await call(reader, method, path, options), "10008", path);
  });

  test("reads rows without the right to export, and has them as a workbook with it alone", async () => {
    const month = { month: "2026-10" };
    const workbook = { ...month, format: "xlsx" };
    const [reader, exporter] = [await narrow(["attendance.read"]), await narrow(["attendance.export"])];
    for (const [who, query, code] of [
      [reader, month, "10005"],
      [reader, { ...month, format: "" }, "10005"],
      [reader, workbook, "10008"],
      [reader, { ...month, format: ["", "xlsx"] }, "10008"],
      [exporter, workbook, "10005"],
      [exporter, month, "10008"],
    ] as const)
      assert.equal(await call(who, "GET", "/attendance/month/downLoad", { query }), code);
  });

  test("knows the own rights, and looks after the own account whatever they are", async () => {
    const nobody = await narrow([]);
    for (const [{ token }, rights] of [
      [nobody, []],
      [operator, undefined],
    ] as const) {
      const { json } = await app.call("GET", "/platform/session/own", { token });
      assert.deepEqual(json.data.rights, rights);
    }
    assert.equal(await call(nobody, "POST", "/platform/logout"), "0");
  });

  test("gives nobody more, and changes nobody who has more", async () => {
    const own = ["platform.read", "platform.accounts", "reporting.read"];
    const limited = await narrow(own);
    const other = await narrow(["platform.read"]);
    assert.equal(await save(limited, { ...fresh(), rights: null }), "10008");
    assert.equal(await save(limited, { ...fresh(), rights: ["reporting.write"] }), "10008");
    assert.equal(await save(limited, { ...fresh(), rights: ["reporting.read"] }), "0");
    const made = fresh();
    assert.equal(await save(limited, made), "0");
    const [row] = await app.pool`select rights from platform.account where user_name = ${made.userName}`;
    assert.deepEqual(row?.["rights"], own, "left out: as many as the maker has");
    assert.equal(await update(limited, { id: other.id, rights: ["reporting.read", "platform.read"] }), "0");
    assert.equal(await update(limited, { id: other.id, rights: ["attendance.read"] }), "10008");
    assert.equal(await update(limited, { id: operator.id, password: "another-horse-9" }), "10008");
    assert.equal(await call(limited, "DELETE", "/platform/operator/delete", { body: [operator.id] }), "10008");
    assert.equal(await update(limited, { id: limited.id, rights: null }), "10008");
    const [session] = await app.pool`select id from platform.session where account_id = ${operator.id}`;
    assert.equal(await call(limited, "DELETE", "/platform/session/delete", { body: [session?.["id"]] }), "10008");
  });

  test("is signed out by other rights, and has no rights at a service that is taken away", async () => {
    const who = await app.signIn("platform");
    assert.equal(await update(operator, { id: who.id, name: "the same" }), "0");
    assert.equal(await call(who, "GET", "/platform/operator/list"), "0");
    assert.equal(await update(operator, { id: who.id, rights: ["platform.accounts", "reporting.read"] }), "0");
    assert.equal(await call(who, "GET", "/platform/operator/list"), "10006");
    assert.equal(await update(operator, { id: who.id, services: ["attendance"] }), "0");
    const [row] = await app.pool`select rights, services from platform.account where id = ${who.id}`;
    assert.deepEqual({ ...row }, { rights: ["platform.accounts"], services: ["attendance"] });
    assert.equal(await update(operator, { id: who.id, rights: listRights(["platform", "attendance"]) }), "0");
    const [all] = await app.pool`select rights from platform.account where id = ${who.id}`;
    assert.equal(all?.["rights"], null);
  });

  test("cannot be named rights that there are not", async () => {
    const many = Array<string>(300).fill("reporting.read");
    for (const rights of ["reporting.read", ["reporting.fly"], ["library.read"], [1], {}, many])
      assert.equal(await save(operator, { ...fresh(), rights }), "10001", JSON.stringify(rights));
  });

  test("does not take the rights of whoever takes theirs at the same moment", async () => {
    const [one, other] = [await app.signIn("platform"), await app.signIn("platform")];
    const codes = await Promise.all([
      update(one, { id: other.id, rights: [] }),
      update(other, { id: one.id, rights: [] }),
    ]);
    assert.deepEqual(codes.toSorted(), ["0", "10006"]);
  });
});

describe("an administrator of a service", () => {
  const inDigits = { add: "save", needed: { adminType: "1", status: "1" }, superior: "0" };
  const services = [
    ["reporting", "/reporting/user", "/reporting/user/list", { add: "add", needed: { name: "N" }, superior: 1 }],
    ["tuition-payment", "/tuitionpayment/admininfo", "/tuitionpayment/feedbackmsg/list", inDigits],
    ["disease-command", "/disease-command/adminInfo", "/disease-command/emergencyTeam/list", inDigits],
  ] as const;
  for (const [service, at, list, { add, needed, superior }] of services)
    test(`of ${service} is narrowed, signed out by that, and never the last one in charge`, async () => {
      const boss = await app.signIn(service, { isSuper: true });
      const read = `${service}.read`;
      const made = { ...fresh(), ...needed, adminType: superior, rights: [read, `${service}.accounts`] };
      const make = (by: typeof clerk, body: object) => call(by, "POST", `${at}/${add}`, { body });
      const change = (by: typeof clerk, body: object) => call(by, "PUT", `${at}/update`, { body });
      assert.equal(await make(boss, { ...made, rights: ["platform.read"] }), "10001");
      assert.equal(await make(boss, made), "0");
      const login = { userName: made.userName, password: testPassword };
      const clerk: Pick<SignedIn, "token"> = (await app.call("POST", `${at}/login`, { body: login })).json.data;
      assert.equal(await call(clerk, "GET", list), "0");
      const reader = { ...made, ...fresh(), rights: [read] };
      assert.equal(await make(boss, reader), "0");
      const { json } = await app.call("POST", `${at}/login`, {
        body: { userName: reader.userName, password: testPassword },
      });
      assert.equal(await call(json.data, "GET", `${at}/list`), "10008", "accounts are a right of their own");
      const all = await app.call("GET", `${at}/list`, { token: boss.token, query: { pageSize: 1000 } });
      const rows = all.json.data.list as { id: number; userName: string; rights?: string[] }[];
      const row = rows.find(({ userName }) => userName === made.userName);
      assert.deepEqual(row?.rights, made.rights);
      assert.ok(!("rights" in (rows.find(({ id }) => id === boss.id) ?? { rights: 1 })));
      assert.equal(await make(clerk, { ...fresh(), ...needed, rights: null }), "10008");
      assert.equal(await change(clerk, { id: boss.id, password: "another-horse-9" }), "10008");
      assert.equal(await change(clerk, { id: row?.id, rights: null }), "10008");
      assert.equal(await change(boss, { id: boss.id, rights: [read] }), "10008");
      assert.equal(await change(operator, { id: boss.id, rights: [read] }), "10008", "the last one with all rights");
      assert.equal(await change(boss, { id: row?.id, rights: [read] }), "0");
      assert.equal(await call(clerk, "GET", list), "10006");
    });
});

describe("every operation", () => {
  test("answers an account of one right what that takes, and nothing else", async (t) => {
    let asked = 0;
    const wrong: string[] = [];
    for (const [index, right] of listRights(["platform", ...serviceNames]).entries()) {
      const part = atLength.skip ? { each: 8, from: index % 8 } : undefined;
      const found = await findWronglyAnswered(app, await narrow([right]), (taken) => taken === right, part);
      asked += found.asked;
      wrong.push(...found.wrong.map((one) => `${right}: ${one}`));
    }
    t.diagnostic(`one right each: ${wrong.length} of ${asked} answers are wrong`);
    assert.deepEqual(wrong, []);
  });

  const walked = atLength.skip ? ["reporting"] : serviceNames;
  for (const own of walked)
    test(`tells an operator of ${own} alone, and its administrator, nothing of another service`, async (t) => {
      const walkedApp = await startTestApp();
      const filled = await fillPlatform(walkedApp);
      const before = await readOthers(walkedApp, own);
      const found = { asked: 0, foreign: [] as string[] };
      const kinds = loginPaths[own] ? (["platform", own] as const) : (["platform"] as const);
      for (const kind of kinds) {
        const who = await walkedApp.signIn(kind, kind === "platform" ? { services: [own] } : { isSuper: true });
        const { asked, foreign } = await findForeignAnswers(walkedApp, who, own, filled);
        found.asked += asked;
        found.foreign.push(...foreign);
      }
      t.diagnostic(`${own}: ${found.foreign.length} of ${found.asked} answers are about another service`);
      assert.deepEqual([found.foreign, await readOthers(walkedApp, own)], [[], before]);
    });
});
