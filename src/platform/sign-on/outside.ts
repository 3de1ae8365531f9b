import { OutboundFailure, request, type WholeAnswer } from "#platform/outbound/request.ts";
import { SignOnFailure } from "./provider.ts";

// The largest genuine answer, the keys of a provider with many certificates, has some 30 KiB.
const mostBytes = 256 * 1024;

export interface OutsideRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
}

/** Asks a provider; an answer is read to its end before it is given. @throws {SignOnFailure} unreachable. */
export type AskProvider = (url: string, request: OutsideRequest) => Promise<Response>;

/** A door to the providers. Those who ask for the same at the same time share the answer. */
export function openProviderDoor(timeoutMs: number): AskProvider {
  const underWay = new Map<string, Promise<WholeAnswer>>();
  return async (url, asked) => {
    if (asked.method !== "GET") return toResponse(await exchange(url, asked, timeoutMs));
    const key = JSON.stringify([url, asked.headers]);
    const question = underWay.get(key) ?? exchange(url, asked, timeoutMs).finally(() => underWay.delete(key));
    underWay.set(key, question);
    return toResponse(await question);
  };
}

const toResponse = ({ status, headers, body }: WholeAnswer): Response =>
  new Response(body.length === 0 ? null : new Uint8Array(body), {
    status,
    headers: { "content-type": headers["content-type"] ?? "" },
  });

async function exchange(
  url: string,
  { method, headers, body }: OutsideRequest,
  timeoutMs: number,
): Promise<WholeAnswer> {
  const asked = { whom: "sign-on", url: new URL(url), method: method === "GET" ? method : "POST", headers } as const;
  try {
    return await request({ ...asked, body, timeoutMs, mostBytes });
  } catch (error) {
    throw error instanceof OutboundFailure ? new SignOnFailure("unreachable", error.message) : error;
  }
}
