import { setTimeout as delay } from "node:timers/promises";
import { toLoggable } from "#platform/contract/loggable.ts";
import { GatewayError } from "#services/tuition-payment/gateways/gateway.ts";
import { claimDue, closeExpired, pollAfter, stopWatching } from "./change-store.ts";
import type { Desk } from "./desk.ts";
import type { OrderHead } from "./order-store.ts";
import { pursueRefund } from "./refunding.ts";
import { pollAfterSeconds } from "./rules.ts";
import { askPayment, closePaying } from "./settle.ts";

const pauseMs = 1000;
const mostClosedAtOnce = 500;
const mostUnderWay = 16;

/** Polls orders that are due. Any number of processes may poll, since each leases the orders that it handles. */
export function openWatch(desk: Desk) {
  const { pool, settings, log } = desk.platform;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  let watching: Promise<void> | undefined;

  const begin = (order: OrderHead): void => {
    const step = takeStep(desk, order)
      .catch((error: unknown) => log.warn(toLoggable(error), "an order could not be processed and will be retried"))
      .finally(() => underWay.delete(step));
    underWay.add(step);
  };
  const look = async (): Promise<boolean> => {
    for (let closed = mostClosedAtOnce; closed === mostClosedAtOnce;)
      closed = await closeExpired(pool, mostClosedAtOnce);
    // The lease must be longer than the three calls that close an order.
    const leaseSeconds = (3 * settings.PAY_TIMEOUT_MS) / 1000 + 5;
    const due = await claimDue(pool, mostUnderWay - underWay.size, leaseSeconds);
    for (const order of due) begin(order);
    return underWay.size === mostUnderWay;
  };
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const isFull = await look().catch((error: unknown) => {
        log.warn(toLoggable(error), "due orders could not be determined; trying again");
        return false;
      });
      const pause = delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      await Promise.race(isFull ? [pause, ...underWay] : [pause]);
    }
    await Promise.all(underWay);
  };
  return {
    start: (): void => void (watching ??= watch()),
    stop: async (): Promise<void> => {
      stopping.abort();
      await watching;
    },
  };
}

async function takeStep(desk: Desk, order: OrderHead): Promise<void> {
  const { pool } = desk.platform;
  const gateway = order.gateway === null ? undefined : desk.gateways.all.get(order.gateway);
  const comeAgain = () => pollAfter(pool, order, pollAfterSeconds(order.asked + 1));
  // The gateway is not configured now, but may be configured again later.
  if (!gateway) return comeAgain();
  if (order.status === "refunding") return pursueRefund(desk, gateway, order);
  try {
    if (order.status === "paying" && order.isExpired) await closePaying(desk, gateway, order, "limit");
    else await askPayment(desk, gateway, order, "poll");
    if (order.status === "closed") return await stopWatching(pool, order);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
  }
  return comeAgain();
}
