import { setTimeout as delay } from "node:timers/promises";
import type { TestDatabase } from "#test/database.ts";
import type { PaymentStandIn } from "#test/stand-ins/payment.ts";
import type { HttpFront } from "./front.ts";

export interface TormentOptions {
  readonly seed: number;
  readonly orders: number;
  readonly killEveryMs: number;
  readonly limitSeconds: number;
  readonly timeoutMs: number;
  readonly approval: "one" | "two";
  readonly database: TestDatabase;
  readonly say: (line: string) => void;
}

export type Name = "ccb" | "abc" | "wechat" | "alipay";
export type StandIns = Readonly<Record<Name, PaymentStandIn>>;

export interface Ground extends TormentOptions {
  readonly random: () => number;
  readonly front: HttpFront;
  readonly standIns: StandIns;
  readonly token: string;
  readonly second: string;
  readonly refusing: Set<string>;
}

export const studentNo = (index: number): string => `M${String(index).padStart(8, "0")}`;

export const pick = <T>(random: () => number, list: readonly T[]): T => {
  const one = list[Math.floor(random() * list.length)];
  if (one === undefined) throw new Error("nothing to pick");
  return one;
};

interface Said {
  readonly code: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of the contract
  readonly data: any;
}

const answerTimeoutMs = 300_000;

/** Repeats a call until a server with a database answers, since a student's call must survive a kill. */
export async function call(
  { front }: Ground,
  method: string,
  target: string,
  who: Record<string, string>,
  body?: object,
): Promise<Said> {
  const endMs = performance.now() + answerTimeoutMs;
  while (performance.now() < endMs) {
    const headers = { "content-type": "application/json", ...who };
    const answer = await fetch(`${front.url}/tuitionpayment${target}`, {
      signal: AbortSignal.timeout(20_000),
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    const said = (await answer?.json().catch(() => undefined)) as Said | undefined;
    // The proxy answers without a body if no server runs; a server without a database answers with code 10000. The call
    // is repeated in both cases.
    if (said && said.code !== "10000") return said;
    await delay(100);
  }
  throw new Error(`${method} ${target} was not answered`);
}
