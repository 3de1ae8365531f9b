import { hash, timingSafeEqual } from "node:crypto";
import { toPlainAddress } from "#platform/contract/networks.ts";
import { explain, Problem } from "#platform/contract/problem.ts";
import { batch, type BatchOptions } from "#platform/database/index.ts";
import { type Call, type Handlers, withoutTransaction } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import { type ApplicationBook, digestSecret, type KnownApplication, openApplicationBook } from "./applications.ts";
import { acceptEvents, describeEvent, readContent } from "./campus-event.ts";
import type { TrustedEvent } from "./received-event.ts";
import { decrypt } from "./cipher.ts";
import type { endpoints } from "./contract.ts";
import type { EventOutcome } from "./delivery/index.ts";
import { openSelectionBook } from "./selection-store.ts";

type Endpoints = Pick<typeof endpoints, "receive">;
type ReceiveCall = Call<Endpoints["receive"]>;
type Push = ReceiveCall["body"];

const taken = { code: 0, message: "ok" };
// The application or a selection may change between reading and storing, but hardly ten times in a row.
const mostTries = 10;
const unknownDigest = digestSecret("");

// Usually only one statement runs at a time, which makes batches as large as possible; a further one starts only if a
// statement takes more than 50 ms. Each of sixteen pushes that are stored together costs the database an eighth of a
// push that is stored alone. A batch has at most 64 pushes and about a megabyte.
const intake: BatchOptions<TrustedEvent> = {
  most: 64,
  weightOf: ({ event }) => Math.max(1, event.data.length / 16_384),
  keyOf: ({ event }) => JSON.stringify([event.schoolCode, event.kind, event.identity]),
  awaitsRound: true,
  lateMs: 50,
  retriesSingly: true,
};

/** @param note is called with the outcome of each push, and for a stored push only after the commit */
export function receiveHandlers(
  { pool, settings, clock }: Platform,
  note: (outcome: EventOutcome) => void,
): Handlers<Endpoints> {
  const book = openApplicationBook(pool);
  const selections = openSelectionBook(pool);
  const accept = batch(
    (events: readonly TrustedEvent[]) => acceptEvents(pool, events, settings.TIME_ZONE, selections.read()),
    intake,
  );

  const receive = async ({ body, request }: ReceiveCall): Promise<typeof taken> => {
    for (let attempt = 1; attempt <= mostTries; attempt++) {
      const time = { zone: settings.TIME_ZONE, nowMs: clock() };
      const judged = judge(book, body, toPlainAddress(request.ip), time);
      if (judged.refusal && attempt > 1) {
        note("refused");
        request.log.info({ reqId: request.id, reason: judged.reason }, "a push was refused");
        throw judged.refusal;
      }
      if (judged.event) {
        const outcome = await accept(judged);
        if (outcome !== "stale") {
          note(outcome);
          return taken;
        }
      }
      await Promise.all([book.refresh(), selections.refresh()]);
    }
    throw new Problem("unknownError");
  };
  return { receive: withoutTransaction(receive) };
}

function judge(book: ApplicationBook, push: Push, address: string, time: { zone: string; nowMs: number }) {
  const { app_key, school_code, event, raw_data } = push;
  const application = book.find(app_key, school_code);
  const reason = findMistrust(application, push.app_secret, address);
  if (!application || reason) {
    const [zh, en] = ["应用不存在，或密钥、来源网络不符", "unknown application, wrong secret, or network not allowed"];
    return { refusal: explain("forbidden", zh, en), reason: reason ?? "unknown application" };
  }
  const bytes = decrypt(raw_data, application);
  const content = bytes && readContent(bytes);
  if (!content) {
    const [zh, en] = ["raw_data 无法解密为 JSON 对象", "raw_data does not decrypt to a JSON object"];
    const why = bytes
      ? "the decrypted text is not a JSON object"
      : "raw_data is not valid hex or base64, or its length is not a multiple of the block size";
    return { refusal: explain("pushUnreadable", zh, en), reason: why };
  }
  const contentHash = hash("sha256", `${event}\n${raw_data}`, "buffer");
  const request = { keys: application, rawData: raw_data, ...(push.app_secret && { secret: push.app_secret }) };
  return {
    application,
    request,
    event: describeEvent({ schoolCode: school_code, event, hash: contentHash }, content, time),
  };
}

/**
 * Returns the reason for not trusting a push, or undefined if the push is trusted. The reason is only logged, since all
 * these refusals must look alike to the sender, in content and timing.
 */
function findMistrust(
  application: KnownApplication | undefined,
  secret: string | undefined,
  address: string,
): string | undefined {
  const sent = secret ? digestSecret(secret) : undefined;
  const agrees = timingSafeEqual(
    sent ?? unknownDigest,
    sent ? (application?.secretDigest ?? unknownDigest) : unknownDigest,
  );
  if (!application) return "unknown application";
  if (!agrees) return "wrong secret";
  if (!sent && application.secretRequired) return "missing secret";
  return application.allows(address) ? undefined : "network not allowed";
}
