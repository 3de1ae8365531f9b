import { openSemaphore } from "#platform/jobs/semaphore.ts";
import { expiringRows } from "#platform/process/removal.ts";
import { defineService, type Service, type ServiceModule } from "#platform/process/service.ts";
import { identifyNumber } from "#platform/accounts/proven-number.ts";
import { cardHeaders } from "./cards/contract.ts";
import { tuitionPayment } from "./contract.ts";
import { paymentConditions, readPayments } from "./orders/conditions.ts";
import { oldRecords } from "./old-records.ts";
import { openDesk } from "./orders/desk.ts";
import { checkBooks } from "./orders/ledger-store.ts";
import { reconcileJobs } from "./orders/reconciling.ts";
import { tuitionNotices } from "./notices.ts";
import { openWatch } from "./orders/watching.ts";
import { persons, retained } from "./person-store.ts";
import { tuitionPaymentHandlers } from "./routes.ts";
import { places } from "./scope-contract.ts";
import { sealedColumns, spellCardNumber } from "./sealed.ts";
import {
  describeStudents,
  findRefusals,
  type TuitionPlatform,
  tuitionSettings,
  type TuitionSettings,
} from "./settings.ts";
import { studentPages } from "./students.ts";

export const tuitionPaymentModule: ServiceModule<TuitionSettings> = {
  contract: tuitionPayment,
  settings: tuitionSettings,
  setup: [
    {
      name: "first-payables",
      title: { zh: "导入缴费信息", en: "Import payables" },
      about: { zh: "导入后学生才能查询与缴费", en: "Students can look up and pay their fees only after the import" },
      page: "/tuition-payment/payables",
      isDone: ({ pool }) => pool.value<boolean>`select exists (select from tuition_payment.payable)`,
    },
  ],
  create: createTuitionPayment,
  conditions: paymentConditions,
  notices: tuitionNotices,
  findRefusals,
  describeStart: describeStudents,
  sealed: sealedColumns,
  persons,
  oldRecords,
  dimensionColumns: Object.fromEntries(
    Object.entries(places).map(([name, column]) => [name, ["tuition_payment.payable", column]]),
  ),
  retained,
  expired: () => [expiringRows("platform.card_session")],
  checkBooks,
};

// A second concurrent import would only wait for the first one's lock while keeping a connection.
const mostImportsAtOnce = 1;

function createTuitionPayment(platform: TuitionPlatform): Service {
  const turns = openSemaphore({ permits: mostImportsAtOnce });
  const desk = openDesk(platform);
  const watch = openWatch(desk);
  return defineService(tuitionPayment, tuitionPaymentHandlers(desk, turns), {
    constraints: {
      payable_student_year_key: "alreadyExists",
      payable_card_year_key: "alreadyExists",
      order_item_taken: "notAllowedNow",
      refund_running: "notAllowedNow",
    },
    pages: [studentPages(platform)],
    identifyGuest: (request) =>
      identifyNumber(request, platform, {
        headers: cardHeaders,
        noun: { zh: "卡号", en: "card number" },
        setting: "STUDENT_IDENTITY",
        way: platform.settings.STUDENT_IDENTITY,
        secret: platform.settings.STUDENT_IDENTITY_SECRET,
        spell: (card) => spellCardNumber(platform.pool.keys, card),
      }),
    ...reconcileJobs(desk),
    health: [() => readPayments(desk)],
    semaphores: { "tuition imports": turns },
    start: () => watch.start(),
    settle: async () => {
      await Promise.all([turns.whenIdle(), watch.stop()]);
    },
  });
}
