import type { Handlers } from "#platform/process/handler.ts";
import { administratorOrderHandlers, reconciliationHandlers, refundHandlers } from "./admin-routes.ts";
import type { orderEndpoints } from "./contract.ts";
import type { Desk } from "./desk.ts";
import { gatewayHandlers } from "./gateway-routes.ts";
import { studentOrderHandlers } from "./student-routes.ts";

/** What each operation of orders does. */
export const orderHandlers = (desk: Desk): Handlers<typeof orderEndpoints> => ({
  ...studentOrderHandlers(desk),
  ...administratorOrderHandlers(desk),
  ...refundHandlers(desk),
  ...reconciliationHandlers(desk),
  ...gatewayHandlers(desk),
});
