import { findable, mostFound } from "#console/shell/find.ts";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";

const page = { curPage: 1, pageSize: mostFound };

export const tuitionFindable = [
  findable(
    { zh: "学生账户", en: "Student accounts" },
    tuitionPayment.listPayables,
    (keyword) => ({ query: { keyword, ...page } }),
    ({ list }) =>
      list.map(({ id, studentName, studentNo, className, years }) => ({
        label: studentName,
        about: [studentNo, className, years].filter(Boolean).join(" · "),
        to: `/tuition-payment/accounts/${id}`,
      })),
  ),
  findable(
    { zh: "订单", en: "Orders" },
    tuitionPayment.listOrders,
    (keyword) => ({ query: { keyword, ...page } }),
    ({ list }) =>
      list.map(({ orderNo, studentName, createTime }) => ({
        label: orderNo,
        about: `${studentName} · ${createTime.slice(0, 16)}`,
        to: `/tuition-payment/orders?open=${orderNo}`,
      })),
  ),
];
