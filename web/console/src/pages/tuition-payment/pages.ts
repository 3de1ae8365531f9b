import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Page } from "#console/shell/section.ts";

export const tuitionPaymentPages: readonly Page[] = [
  {
    path: "payables",
    title: { zh: "缴费信息", en: "Payables" },
    needs: tuitionPayment.listPayables,
    load: async () => (await import("#console/pages/tuition-payment/payables-page.tsx")).PayablesPage,
  },
  {
    path: "accounts/:payableId",
    title: { zh: "学生账户", en: "Student account" },
    needs: tuitionPayment.readAccount,
    hidden: true,
    load: async () => (await import("#console/pages/tuition-payment/account/account-page.tsx")).AccountPage,
  },
  {
    path: "orders",
    title: { zh: "订单", en: "Orders" },
    needs: tuitionPayment.listOrders,
    load: async () => (await import("#console/pages/tuition-payment/orders/orders-page.tsx")).OrdersPage,
  },
  {
    path: "desk",
    title: { zh: "待处理款项", en: "Payment exceptions" },
    needs: tuitionPayment.listDesk,
    load: async () => (await import("#console/pages/tuition-payment/desk/desk-page.tsx")).DeskPage,
  },
  {
    path: "reconciliation",
    title: { zh: "对账", en: "Reconciliation" },
    needs: tuitionPayment.listReconciliation,
    load: async () =>
      (await import("#console/pages/tuition-payment/reconciliation/reconciliation-page.tsx")).ReconciliationPage,
  },
  {
    path: "adjustments",
    title: { zh: "缴费调整", en: "Adjustments" },
    needs: tuitionPayment.listAdjustments,
    load: async () => (await import("#console/pages/tuition-payment/adjustments/adjustments-page.tsx")).AdjustmentsPage,
  },
  {
    path: "journal",
    title: { zh: "收支流水", en: "Journal" },
    needs: tuitionPayment.readJournal,
    load: async () => (await import("#console/pages/tuition-payment/journal/journal-page.tsx")).JournalPage,
  },
  {
    path: "totals",
    title: { zh: "收缴统计", en: "Totals" },
    needs: tuitionPayment.readOrderTotals,
    load: async () => (await import("#console/pages/tuition-payment/totals/totals-page.tsx")).TotalsPage,
  },
  {
    path: "grades",
    title: { zh: "年级缴费开关", en: "Grades" },
    needs: tuitionPayment.listPayLimits,
    load: async () => (await import("#console/pages/tuition-payment/grades-page.tsx")).GradesPage,
  },
  {
    path: "feedback",
    title: { zh: "意见反馈", en: "Feedback" },
    needs: tuitionPayment.listFeedback,
    load: async () => (await import("#console/pages/tuition-payment/feedback-page.tsx")).FeedbackPage,
  },
  {
    path: "administrators",
    title: { zh: "管理员", en: "Administrators" },
    needs: tuitionPayment.listAdministrators,
    load: async () => (await import("#console/pages/tuition-payment/administrators-page.tsx")).AdministratorsPage,
  },
];
