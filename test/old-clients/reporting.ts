import assert from "node:assert/strict";
import { constants, createPublicKey, publicEncrypt } from "node:crypto";
import { decided, type Documented, oneOf, orNull, paged, plus } from "./documented.ts";

// The operations follow sections 2 and 4 of the interface document.

export interface ReportingGround {
  readonly userName: string;
  readonly password: string;
  readonly adminId: number;
  readonly phoneCode: string;
  readonly openIdCode: string;
  readonly openId: string;
  /** Returns the public key in base64; the document does not name an operation that gives the key (R12). */
  readonly readPublicKey: () => Promise<string>;
  readonly signedIn: (token: string) => void;
}

const administrator = {
  id: "int64",
  userName: "string",
  name: "string",
  password: decided("G15", oneOf(null)),
  adminType: oneOf(1, 2),
  time: "time",
  status: oneOf(0, 1),
} as const;

const text = "string";
const submitted = {
  name: text,
  phone: text,
  wxPhone: orNull("R1", text),
  company: text,
  customerName: text,
  entryName: text,
  projectAmount: text,
  tenderTime: "time",
  content: orNull("R1", text),
  parameters: orNull("R1", text),
  trade: text,
  licensing: text,
  product: orNull("R1", text),
  bProduct: [text],
  bFile: orNull("R1", [text]),
  file: orNull("R1", text),
} as const;

/** The document shows administrators in place of reports; R1 defines the fields. */
const report = decided("R1", {
  ...submitted,
  id: "int64",
  status: oneOf(0, 1),
  delStatus: oneOf(0, 1),
  valid: oneOf(0, 1, 2),
  ps: orNull("R1", text),
  reportingTime: "time",
  updateTime: "time",
});

const submission = {
  name: "测试员甲",
  phone: "5550100001",
  wxPhone: undefined,
  company: "星河测试科技",
  customerName: "示例大学",
  entryName: "智慧教室",
  projectAmount: "1200000",
  tenderTime: "2027-03-01 09:30:00",
  content: "演示",
  parameters: undefined,
  trade: "教育",
  licensing: "是",
  product: undefined,
  bProduct: ["交换机"],
  code: undefined,
};

const newest = { orderField: "id", order: "desc" };
const listed = { currPage: undefined, pageSize: undefined, ...newest };
const reportQuery = { name: undefined, company: undefined, trade: undefined, reportingTime: undefined };
const prefix = "/reporting/informationReporting";
const caller = { id: undefined, name: undefined };

type Page = { totalCount: number; pageSize: number; list: { id: number; [field: string]: unknown }[] };

export function listReporting(ground: ReportingGround): Documented[] {
  let file = "";
  const reports: number[] = [];
  let colleague = 0;
  const other = { itemId: 999_999_999, code: "10005", status: 404 };
  const encrypt = async (password: string): Promise<string> => {
    const key = createPublicKey({
      key: Buffer.from(await ground.readPublicKey(), "base64"),
      format: "der",
      type: "spki",
    });
    return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(password)).toString("base64");
  };
  const verdict = (call: Documented["call"], ps: string): Documented => ({
    call,
    header: "admin_token",
    send: () => ({ body: { ...caller, itemId: reports[0], ps } }),
    refused: () => ({ body: { ...caller, itemId: other.itemId }, code: other.code, status: other.status }),
  });
  return [
    {
      call: "POST /reporting/user/login",
      send: () => ({ body: { userName: ground.userName, password: ground.password } }),
      answer: { envelope: { ...administrator, token: plus("R11", "string"), expireTime: plus("R11", "int64") } },
      check: (data: { token: string }, headers) => {
        assert.equal(headers.get("admin_token"), data.token);
        ground.signedIn(data.token);
      },
      refused: () => ({ body: { userName: ground.userName, password: "wrong-horse" }, code: "10009", status: 401 }),
    },
    {
      call: "POST /reporting/file/fileUpDown",
      send: () => ({ file: { name: "说明.txt", bytes: Buffer.from("仅供演示") } }),
      answer: { envelope: "string" },
      check: (data: string) => void (file = data),
      refused: () => ({ file: { name: "a.html", bytes: Buffer.from("<html></html>") }, code: "10030", status: 400 }),
    },
    {
      call: `POST ${prefix}/add`,
      send: () => ({ body: { ...submission, bFile: [file], file } }),
      check: (data: string, headers) => {
        reports.push(Number(data));
        assert.match(headers.get("report_receipt") ?? "", /^[0-9a-f]{32}$/);
      },
      refused: () => ({ body: { ...submission, company: undefined }, code: "10001", status: 400 }),
    },
    {
      call: `GET ${prefix}/list`,
      header: "admin_token",
      send: () => ({ query: { ...reportQuery, delStatus: undefined, status: 1, ...listed } }),
      answer: { envelope: paged(report) },
      check: ({ list: [row] }: Page) => {
        assert.equal(row?.id, reports[0]);
        const { code: _, ...sent } = { ...submission, bFile: [file], file };
        for (const [field, value] of Object.entries(sent)) assert.deepEqual(row?.[field], value ?? null, field);
        assert.deepEqual([row?.["status"], row?.["delStatus"], row?.["valid"]], [1, 1, 0]);
      },
      refused: () => ({ query: { orderField: "password" }, code: "10007", status: 400 }),
    },
    verdict(`DELETE ${prefix}/valid`, "资料齐全"),
    verdict(`DELETE ${prefix}/invalid`, "与已有报备重复"),
    {
      call: `DELETE ${prefix}/close`,
      header: "admin_token",
      send: () => ({ body: { ...caller, itemId: reports[0] } }),
      refused: () => ({ body: { ...caller }, code: "10023", status: 400 }),
    },
    {
      call: `GET ${prefix}/download`,
      always: true,
      send: () => ({ query: { ...reportQuery, ids: reports, status: 2 } }),
      answer: { file: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
      refused: () => ({ query: { status: 7 }, code: "10001", status: 400 }),
    },
    {
      call: `DELETE ${prefix}/delete`,
      header: "admin_token",
      send: () => ({ body: { ...caller, ids: reports } }),
      check: (data: string) => assert.equal(data, "1"),
      refused: () => ({ body: { ...caller, ids: [] }, code: "10023", status: 400 }),
    },
    {
      call: "POST /reporting/user/add",
      header: "admin_token",
      send: () => ({ body: { id: undefined, userName: "colleague", name: "测试员乙", password: "coach-horse-9" } }),
      check: (data: string) => void (colleague = Number(data)),
      refused: () => ({ body: { userName: ground.userName, name: "x" }, code: "10004", status: 409 }),
    },
    {
      call: "PUT /reporting/user/update",
      header: "admin_token",
      send: () => ({ body: { id: colleague, userName: "colleague", name: "测试员丙", password: undefined } }),
      refused: () => ({ body: { userName: "colleague", name: "x" }, code: "10023", status: 400 }),
    },
    {
      call: "GET /reporting/user/list",
      header: "admin_token",
      send: () => ({ query: { userName: "COLLEAGUE", name: undefined, time: undefined, ...listed } }),
      answer: { envelope: paged(administrator) },
      check: ({ totalCount, list: [row] }: Page) =>
        assert.deepEqual([totalCount, row?.id, row?.["name"], row?.["adminType"]], [1, colleague, "测试员丙", 2]),
      refused: () => ({ query: { order: "up" }, code: "10001", status: 400 }),
    },
    {
      call: "DELETE /reporting/user/delete",
      header: "admin_token",
      send: () => ({ body: { ids: [colleague] } }),
      refused: () => ({ body: { ids: [ground.adminId] }, code: "10008", status: 403 }),
    },
    {
      call: "GET /reporting/wx/getPhone",
      send: () => ({ query: { code: ground.phoneCode, state: undefined } }),
      answer: { envelope: "string" },
      refused: () => ({ query: { state: "x" }, code: "10001", status: 400 }),
    },
    {
      call: "GET /reporting/wx/getOpenId",
      send: () => ({ query: { code: ground.openIdCode } }),
      answer: { plain: "text" },
      check: (data: string) => assert.equal(data, ground.openId),
      refused: () => ({ code: "10001", status: 400 }),
    },
    {
      call: "PUT /reporting/user/updatePassword",
      header: "admin_token",
      send: async () => ({
        body: {
          id: ground.adminId,
          password: await encrypt(ground.password),
          newPassword: await encrypt("a-new-horse-9"),
        },
      }),
      refused: () => ({ body: { id: ground.adminId, password: "x", newPassword: "y" }, code: "10007", status: 400 }),
    },
  ];
}
