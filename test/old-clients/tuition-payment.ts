import assert from "node:assert/strict";
import { decided, type Documented, oneOf, orNull, paged, paging, plus } from "./documented.ts";

// The operations follow sections 2 and 4 A of the interface document.

export interface TuitionGround {
  readonly userName: string;
  readonly password: string;
  readonly adminId: number;
  readonly studentNo: string;
  readonly studentName: string;
  readonly signedIn: (token: string) => void;
}

const administrator = {
  id: "int64",
  userName: "string",
  password: decided("G15", oneOf(null)),
  adminType: oneOf("0", "1"),
  status: oneOf("0", "1"),
} as const;

const feedback = {
  id: "int64",
  feedbackPersonIdentify: "string",
  feedbackPersonName: "string",
  feedbackPersonPhone: "string",
  feedbackInfo: "string",
  statu: oneOf("1", "2"),
  publishTime: "time",
  handleTime: oneOf(null, "time"),
} as const;

const listedPayable = {
  id: "int64",
  studentNo: orNull("T2", "string"),
  studentName: "string",
  grade: "string",
  years: "string",
  collegeName: "string",
  majorName: "string",
  className: "string",
  realPayAmount: "number",
  payItemDetail: "string",
  due: plus("T8", "number"),
  dueDate: plus("T8", oneOf(null, "string")),
  items: plus("T8", [{ name: "string", amount: "number", due: "number" }]),
} as const;
// Callers who give only a number and a name do not see adjustments.
const matched = { ...listedPayable, pay: "boolean" } as const;
const payable = { ...matched, adjustments: plus("T8", [{}]) } as const;

const unknownId = { params: { id: 999_999_999 }, code: "10005", status: 404 };
const prefix = "/tuitionpayment";

export function listTuitionPayment(ground: TuitionGround): Documented[] {
  let colleague = 0;
  let limit = 0;
  let message = 0;
  const said = { feedbackPersonName: "张三", feedbackPersonPhone: "5550100001", feedbackInfo: "金额不对。" };
  return [
    {
      call: `POST ${prefix}/admininfo/login`,
      send: () => ({ form: { userName: ground.userName, password: ground.password } }),
      answer: { envelope: { userName: "string", token: "string", expireTime: "int64" } },
      check: ({ userName, token, expireTime }: { userName: string; token: string; expireTime: number }) => {
        assert.deepEqual([userName, expireTime > Date.now()], [ground.userName, true]);
        ground.signedIn(token);
      },
      refused: () => ({ form: { userName: "nobody", password: "x" }, code: "10009", status: 401 }),
    },
    {
      call: `POST ${prefix}/admininfo/save`,
      header: "admin-token",
      send: () => ({
        body: { id: undefined, userName: "cashier", password: "cashier-horse-9", adminType: "1", status: "1" },
      }),
      check: (data: string) => void (colleague = Number(data)),
      refused: () => ({ body: { userName: "x", adminType: "1", status: "1" }, code: "10001", status: 400 }),
    },
    {
      call: `GET ${prefix}/admininfo/list`,
      header: "admin_token",
      send: () => ({ query: { ...paging, orderField: "id", order: "desc" } }),
      answer: { envelope: paged(administrator) },
      check: ({ list: [row] }: { list: { id: number; userName: string; adminType: string }[] }) =>
        assert.deepEqual([row?.id, row?.userName, row?.adminType], [colleague, "cashier", "1"]),
      refused: () => ({ query: { curPage: 0 }, code: "10001", status: 400 }),
    },
    {
      call: `PUT ${prefix}/admininfo/update`,
      header: "admin-token",
      send: () => ({
        body: { id: colleague, userName: "cashier-2", password: undefined, adminType: "1", status: "0" },
      }),
      refused: () => ({
        body: { id: colleague, userName: "cashier", adminType: "2", status: "1" },
        code: "10001",
        status: 400,
      }),
    },
    {
      call: `DELETE ${prefix}/admininfo/delete/{id}`,
      header: "admin-token",
      send: () => ({ params: { id: colleague } }),
      refused: () => unknownId,
    },
    {
      call: "GET /enablePayLimit/list",
      header: "admin_token",
      answer: {
        envelope: [{ id: "int64", gradeName: "string", grade: "string", enablePay: oneOf("1", "2") }],
      },
      check: ([row]: { id: number; enablePay: string }[]) => {
        assert.equal(row?.enablePay, "1");
        limit = row.id;
      },
    },
    {
      call: "PUT /enablePayLimit/setting/{settingId}/{enablePay}",
      header: "admin_token",
      send: () => ({ params: { settingId: limit, enablePay: "2" } }),
      refused: () => ({ params: { settingId: 999_999, enablePay: "1" }, code: "10019", status: 404 }),
    },
    {
      call: `POST ${prefix}/feedbackmsg/save`,
      header: "card_number",
      send: () => ({ body: said }),
      check: (data: string) => void (message = Number(data)),
      refused: () => ({ body: { ...said, feedbackInfo: "长".repeat(513) }, code: "10026", status: 400 }),
    },
    {
      call: `GET ${prefix}/feedbackmsg/listOfCurrentUser`,
      header: "card_number",
      send: () => ({ query: paging }),
      answer: { envelope: paged(feedback) },
      check: ({ totalCount, list: [row] }: { totalCount: number; list: Record<string, unknown>[] }) => {
        assert.deepEqual([totalCount, row?.["id"], row?.["feedbackPersonIdentify"]], [1, message, ground.studentNo]);
        for (const [field, value] of Object.entries(said)) assert.equal(row?.[field], value);
      },
      refused: () => ({ query: { orderField: "password" }, code: "10007", status: 400 }),
    },
    {
      call: `GET ${prefix}/feedbackmsg/list`,
      header: "admin_token",
      send: () => ({ query: { status: "1", keyword: "张", ...paging } }),
      answer: { envelope: paged(feedback) },
      check: ({ list: [row] }: { list: { id: number }[] }) => assert.equal(row?.id, message),
      refused: () => ({ query: { status: "3" }, code: "10001", status: 400 }),
    },
    {
      call: `PUT ${prefix}/feedbackmsg/info/{id}`,
      header: "admin_token",
      send: () => ({ params: { id: message } }),
      refused: () => unknownId,
    },
    {
      call: `GET ${prefix}/feedbackmsg/info/{id}`,
      header: "admin_token",
      send: () => ({ params: { id: message } }),
      answer: { envelope: feedback },
      check: ({ statu, handleTime }: { statu: string; handleTime: string | null }) =>
        assert.deepEqual([statu, handleTime !== null], ["2", true]),
      refused: () => ({ params: { id: "x" }, code: "10001", status: 400 }),
    },
    {
      call: `DELETE ${prefix}/feedbackmsg/delete/{id}`,
      header: "card_number",
      send: () => ({ params: { id: message } }),
      refused: () => unknownId,
    },
    {
      call: `GET ${prefix}/payableinfo/payableInfo`,
      header: "card_number",
      answer: { envelope: payable },
      check: ({ studentNo, pay }: { studentNo: string; pay: boolean }) =>
        assert.deepEqual([studentNo, pay], [ground.studentNo, false]),
    },
    {
      call: `GET ${prefix}/payableinfo/payableInfo/{studentNo}/{studentName}`,
      header: "card_number",
      send: () => ({ params: { studentNo: ground.studentNo, studentName: ground.studentName } }),
      answer: { envelope: matched },
      refused: () => ({
        params: { studentNo: ground.studentNo, studentName: "李四" },
        code: "10013",
        status: 404,
      }),
    },
    {
      call: `GET ${prefix}/payableinfo/list`,
      header: "admin_token",
      send: () => ({ query: { keyword: ground.studentNo, ...paging } }),
      answer: { envelope: paged({ ...listedPayable, adjustments: plus("T8", [{}]) }) },
      check: ({ totalCount }: { totalCount: number }) => assert.equal(totalCount, 1),
      refused: () => ({ query: { order: "up" }, code: "10001", status: 400 }),
    },
  ];
}
