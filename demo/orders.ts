import type { DemoTools } from "./tools.ts";

// The orders belong to students of 2024 from the 201st on, whose payables the demo does not mark as paid by hand.
const firstStudent = 201;
const prefix = "/tuitionpayment";

export const asStudent = (cardNumber: string) => ({ card_number: cardNumber });

interface Due {
  readonly id: number;
  readonly realPayAmount: number;
  readonly pay: boolean;
}

const studentAt = (index: number) => asStudent(`2024${String(firstStudent + index).padStart(6, "0")}`);

export async function loadDemoOrders({ call, say }: DemoTools): Promise<void> {
  const gateways = (await call("GET", `${prefix}/order/gateways`, undefined, studentAt(0))) as { gateway: string }[];
  if (!gateways.some(({ gateway }) => gateway === "simulated")) return;
  const find = async (index: number): Promise<Due> =>
    (await call("GET", `${prefix}/payableinfo/payableInfo`, undefined, studentAt(index))) as Due;
  // The second student's payable shows whether an earlier run has added the orders: it stays paid, whereas the first
  // student's payable is partly refunded.
  if ((await find(1)).pay) return say("tuition payment: orders already exist, so none were added");
  const order = async (index: number): Promise<string> => {
    const { id, realPayAmount } = await find(index);
    const wish = { payables: [{ payableId: id }], amount: realPayAmount, limitSeconds: 7200 };
    return ((await call("POST", `${prefix}/order/create`, wish, studentAt(index))) as { orderNo: string }).orderNo;
  };
  const begin = async (index: number): Promise<string> => {
    const orderNo = await order(index);
    await call("POST", `${prefix}/order/pay/${orderNo}`, { gateway: "simulated" }, studentAt(index));
    return orderNo;
  };
  const paid: string[] = [];
  for (let index = 0; index < 12; index++) {
    const orderNo = await begin(index);
    await call("POST", `${prefix}/simulated/${orderNo}`, { result: "success" });
    paid.push(orderNo);
  }
  await begin(12);
  await order(13);
  // Two payments wait for a decision by a bursar: too little money, and money that arrived after its order was closed
  // and its payable was marked as paid.
  await call("POST", `${prefix}/simulated/${await begin(14)}`, { result: "success", amount: 100 });
  const late = await begin(15);
  await call("POST", `${prefix}/order/close/${late}`, undefined, studentAt(15));
  await call("PUT", `${prefix}/payableinfo/pay/${(await find(15)).id}/true`);
  await call("POST", `${prefix}/simulated/${late}`, { result: "success" });
  const [first = ""] = paid;
  const found = (await call("GET", `${prefix}/order/info/${first}`)) as { payables: { payableId: number }[] };
  const items = [{ payableId: found.payables[0]?.payableId ?? 0, name: "住宿费" }];
  await call("POST", `${prefix}/order/refund/${first}`, { reason: "退宿", items });
  say(
    `tuition payment: ${paid.length} orders were paid, the refund of one item was requested, and two payments await a decision`,
  );
}
