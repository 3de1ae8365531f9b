import type { CallOptions, Gateway, NoticeAnswer, Refund, RefundRequest } from "./gateway.ts";

/**
 * A bank takes a refund number that it knows for an error, or for a second refund: it is asked first, and told only what
 * it does not know. Whoever calls sees to it that one refund number is under way once.
 */
export async function refundOnce(
  queryRefund: Gateway["queryRefund"],
  send: () => Promise<Refund>,
  request: RefundRequest,
  options: CallOptions | undefined,
): Promise<Refund> {
  const known = await queryRefund(request, options);
  return known.state === "absent" ? send() : known;
}

/** What both banks wait for, or send their notice again. */
export const answerBank = (failure?: string): NoticeAnswer =>
  failure === undefined
    ? { status: 200, contentType: "text/plain", body: "SUCCESS" }
    : { status: 400, contentType: "text/plain", body: "FAIL" };
