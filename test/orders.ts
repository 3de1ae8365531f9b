import assert from "node:assert/strict";
import { type Answer, getData, type TestApp } from "#test/app.ts";
import { samplePayable } from "#test/tuition-payment.ts";
import { until } from "#test/until.ts";

const prefix = "/tuitionpayment";
let students = 0;

export interface Payer {
  readonly card: string;
  readonly payableId: number;
}

export const tuition = ({ payableId }: Payer) => ({ payables: [{ payableId, items: ["学费"] }], amount: 4800 });
export const dormitory = ({ payableId }: Payer) => ({ payables: [{ payableId, items: ["住宿费"] }], amount: 1200 });

type Prove = (card: string) => Readonly<Record<string, string>>;

export function openOrders(app: TestApp, token: string, prove: Prove = (card) => ({ card_number: card })) {
  const asCard = (method: string, path: string, card: string, body?: unknown, headers: Record<string, string> = {}) =>
    app.call(method, prefix + path, {
      headers: { ...prove(card), ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const asAdmin = (method: string, path: string, body?: unknown) =>
    app.call(method, prefix + path, { token, ...(body === undefined ? {} : { body }) });
  const addPayer = async (change: Record<string, unknown> = {}): Promise<Payer> => {
    const card = `S${String(++students).padStart(9, "0")}`;
    const answer = await asAdmin("POST", "/payableinfo/save", samplePayable({ studentNo: card, ...change }));
    return { card, payableId: Number(getData(answer)) };
  };
  const create = async ({ card, payableId }: Payer, change: Record<string, unknown> = {}) =>
    asCard("POST", "/order/create", card, { payables: [{ payableId }], amount: 6000, ...change });
  const pay = (card: string, orderNo: string, body: object = { gateway: "simulated" }) =>
    asCard("POST", `/order/pay/${orderNo}`, card, body);
  const act = (orderNo: string, body: object = { result: "success" }) =>
    app.call("POST", `${prefix}/simulated/${orderNo}`, { body });
  const notify = (gateway: string, notice: unknown) =>
    app.call("POST", `${prefix}/pay/notify/${gateway}`, { body: notice });
  const detail = async (card: string, orderNo: string) =>
    getData(await asCard("GET", `/order/detail/${orderNo}`, card));
  const begin = async (payer: Payer, change: Record<string, unknown> = {}): Promise<string> => {
    const { orderNo } = getData(await create(payer, change));
    getData(await pay(payer.card, orderNo));
    return orderNo;
  };
  const settle = async (payer: Payer, change: Record<string, unknown> = {}): Promise<string> => {
    const orderNo = await begin(payer, change);
    assert.equal(getData(await act(orderNo)).reply.code, "0");
    return orderNo;
  };
  const untilStatus = (card: string, orderNo: string, status: string): Promise<Record<string, unknown>> =>
    until(`the order is ${status}`, async () => {
      const order = await detail(card, orderNo);
      return order.status === status && order;
    });
  const isPaid = async ({ payableId }: Payer): Promise<boolean> =>
    getData(await asAdmin("GET", `/payableinfo/info/${payableId}`)).pay;
  const payLate = async (): Promise<{ payer: Payer; orderNo: string }> => {
    const payer = await addPayer();
    const orderNo = await begin(payer);
    getData(await asCard("POST", `/order/close/${orderNo}`, payer.card));
    getData(await asAdmin("PUT", `/payableinfo/pay/${payer.payableId}/true`));
    getData(await act(orderNo));
    return { payer, orderNo };
  };
  const findRow = async (orderNo: string, kind: string) =>
    getData(await asAdmin("GET", `/desk/list?pageSize=100&kind=${kind}`)).list.find(
      (row: { orderNo: string }) => row.orderNo === orderNo,
    );
  const byStudents = { asCard, addPayer, create, pay, detail, begin, settle, payLate, untilStatus };
  return { ...byStudents, asAdmin, act, notify, isPaid, findRow };
}

export const codeOf = ({ json, status }: Answer): [string, number] => [json?.code, status];
