import { openTurns } from "#platform/jobs/turns.ts";
import { findCardRefusals } from "#platform/process/card-settings.ts";
import type { Platform } from "#platform/process/platform.ts";
import { defineService, type Service, type ServiceModule } from "#platform/process/service.ts";
import { tuitionPayment } from "./contract.ts";
import { loadDemo } from "./demo.ts";
import { findPaymentRefusals } from "./gateways/configured.ts";
import { openDesk } from "./orders/desk.ts";
import { checkPayments } from "./orders/health.ts";
import { orderTasks, orderTimes } from "./orders/tasks.ts";
import { tuitionPaymentHandlers } from "./routes.ts";

/** The tuition payment service: what students have to pay, which grades may, and what students have to say. */
export const tuitionPaymentModule: ServiceModule = {
  contract: tuitionPayment,
  create: createTuitionPayment,
  findRefusals: (settings) => [...findCardRefusals(settings), ...findPaymentRefusals(settings)],
  demo: loadDemo,
};

// They would wait for each other in the database, each with a connection of the pool.
const mostImportsAtOnce = 1;

function createTuitionPayment(platform: Platform): Service {
  const turns = openTurns({ atOnce: mostImportsAtOnce });
  const desk = openDesk(platform);
  return defineService(tuitionPayment, tuitionPaymentHandlers(platform, turns, desk), {
    constraints: {
      payable_student_year_key: "alreadyExists",
      payable_card_year_key: "alreadyExists",
      order_item_taken: "notAllowedNow",
      refund_running: "notAllowedNow",
    },
    tasks: orderTasks(desk),
    recurring: orderTimes(desk),
    health: () => checkPayments(desk),
    settle: () => turns.settle(),
  });
}
