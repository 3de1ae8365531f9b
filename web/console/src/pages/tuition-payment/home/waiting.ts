import { tellAll, tellOldest, waits } from "#console/shell/waiting.ts";
import { today } from "#console/blocks/format.ts";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";

const page = { order: "asc", curPage: 1, pageSize: 1 } as const;

export const tuitionWaiting = [
  waits(
    tuitionPayment.listDesk,
    [tuitionPayment.handleReconciliation],
    () => ({ query: { ...page, handled: false, orderField: "time" } }),
    (desk) =>
      tellOldest(desk, { zh: "待处理款项", en: "Payment exceptions" }, ({ id, orderNo, time }) => ({
        first: orderNo,
        since: time,
        to: `/tuition-payment/desk?open=${id}`,
      })),
  ),
  waits(
    tuitionPayment.listFeedback,
    [tuitionPayment.processFeedback],
    () => ({ query: { ...page, status: "1" as const, orderField: "publishTime" } }),
    (feedback) =>
      tellOldest(
        feedback,
        { zh: "待处理的反馈", en: "Feedback to answer" },
        ({ id, feedbackPersonName, publishTime }) => ({
          first: feedbackPersonName,
          since: publishTime,
          to: `/tuition-payment/feedback?open=${id}`,
        }),
      ),
  ),
  // Only days without a statement are listed here, since a day's differences are listed as payment exceptions.
  waits(
    tuitionPayment.listReconciledDays,
    [tuitionPayment.runReconciliation],
    () => ({}),
    (days) =>
      tellAll(
        days.filter(({ date, isFetched, booked }) => !isFetched && booked > 0 && date < today()).toReversed(),
        { zh: "未对账的日期", en: "Days to reconcile" },
        ({ date }) => ({ first: date, since: `${date} 23:59:59`, to: "/tuition-payment/reconciliation" }),
      ),
  ),
];
