import * as z from "zod";
import { GatewayError, type Notice, NoticeRefusal, type RawNotice } from "./gateway.ts";
import type { WeChatLine } from "./wechat-call.ts";
import { readRefundNotice, readTrade, type WeChatParty } from "./wechat-messages.ts";
import { isFresh, isSignedBy, openSealed, readSignature, type SignedMessage } from "./wechat-signature.ts";

const envelope = z.object({
  event_type: z.string(),
  resource: z.object({
    algorithm: z.literal("AEAD_AES_256_GCM"),
    ciphertext: z.string(),
    nonce: z.string(),
    associated_data: z.string().optional(),
  }),
});

/** Signed by the platform, of the last five minutes, sealed with the merchant's own key, and for this merchant. */
export async function verifyWeChatNotice(line: WeChatLine, raw: RawNotice): Promise<Notice> {
  const message = readSignature(raw.body, (name) => oneOf(raw.headers[name]));
  if (!message) throw refuse("signature", "no signature");
  const key = await findNoticeKey(line, message);
  if (!key || !isSignedBy(key, message)) throw refuse("signature", "a wrong signature");
  if (!isFresh(message, line.merchant.clock())) throw refuse("stale", "a notice of another time");
  return readNotice(unseal(raw.body, line.merchant.apiKey), line.merchant);
}

/** A header that came twice reads as a list, which is no signature. */
const oneOf = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;

/** While certificates cannot be fetched nothing can be verified; the platform sends the notice again. */
async function findNoticeKey(line: WeChatLine, { serial }: SignedMessage) {
  try {
    return await line.findKey(serial);
  } catch (error) {
    const reason = error instanceof GatewayError ? error.message : "no platform certificates";
    throw refuse("signature", `nothing to verify it with: ${reason}`);
  }
}

type Unsealed = { readonly isRefund: boolean; readonly content: unknown };

function unseal(body: Buffer, apiKey: string): Unsealed {
  const { event_type: event, resource } = attempt("malformed", "no notice", () =>
    envelope.parse(JSON.parse(body.toString())),
  );
  const opened = attempt("signature", "a seal that is not of this merchant's key", () => openSealed(apiKey, resource));
  const content: unknown = attempt("malformed", "no notice", () => JSON.parse(opened.toString()));
  return { isRefund: event.startsWith("REFUND."), content };
}

function readNotice({ isRefund, content }: Unsealed, party: WeChatParty): Notice {
  const notice = attempt("malformed", "a notice that is not of the protocol", () =>
    isRefund ? readRefundNotice(content, party) : toPaymentNotice(readTrade(content, party)),
  );
  if (!notice) throw refuse("merchant", "another merchant's");
  return notice;
}

const toPaymentNotice = (read: ReturnType<typeof readTrade>): Notice | undefined =>
  read && { kind: "payment", ...read };

function attempt<T>(fault: NoticeRefusal["fault"], reason: string, work: () => T): T {
  try {
    return work();
  } catch {
    throw refuse(fault, reason);
  }
}

const refuse = (fault: NoticeRefusal["fault"], reason: string) => new NoticeRefusal("wechat", fault, reason);
