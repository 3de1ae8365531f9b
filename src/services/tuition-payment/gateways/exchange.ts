import { OutboundFailure, request, type WholeAnswer, type WholeRequest } from "#platform/outbound/request.ts";
import { type CallOptions, type GatewayName, unbelievable } from "./gateway.ts";

/** The largest genuine answer but a statement is below 16 KiB. */
const usualBytes = 256 * 1024;
/** Some 300,000 rows of the widest statement, in one day. */
export const mostStatementBytes = 128 * 1024 * 1024;

export interface Exchange extends Pick<WholeRequest, "url" | "method" | "headers" | "body" | "timeoutMs"> {
  readonly gateway: GatewayName;
  readonly mostBytes?: number;
  readonly options: CallOptions | undefined;
}

/** Sends one request, once. @throws GatewayError `unknown` when there is no whole answer in time. */
export async function exchange({ gateway, mostBytes = usualBytes, options, ...asked }: Exchange): Promise<WholeAnswer> {
  try {
    return await request({ ...asked, whom: gateway, mostBytes, signal: options?.signal });
  } catch (error) {
    throw error instanceof OutboundFailure ? unbelievable(gateway, error.message) : error;
  }
}
