import type { SimulatedBooks, SimulatedTrade } from "#services/tuition-payment/gateways/simulated-page.ts";

export function openSimulatedBooks(): SimulatedBooks {
  const trades = new Map<string, SimulatedTrade>();
  const isWithin = (ms: number | null, startMs: number, endMs: number) => ms !== null && startMs <= ms && ms < endMs;
  return {
    readSecret: async () => "a secret of the simulated bank",
    find: async (orderNo) => trades.get(orderNo),
    async change(orderNo, change) {
      const changed = change(trades.get(orderNo));
      trades.set(orderNo, changed);
      return changed;
    },
    listBetween: async (startMs, endMs) =>
      [...trades.values()]
        .filter(
          ({ paidAtMs, refunds }) =>
            isWithin(paidAtMs, startMs, endMs) || refunds.some(({ doneAtMs }) => isWithin(doneAtMs, startMs, endMs)),
        )
        .toSorted((one, other) => (one.paidAtMs ?? 0) - (other.paidAtMs ?? 0)),
  };
}
