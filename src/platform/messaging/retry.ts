import { setTimeout as pause } from "node:timers/promises";
import { OutsideError } from "./outside-error.ts";

/** Long enough for a busy instance to be replaced by the balancer's next choice, short enough for someone who waits. */
const pauseMs = 200;

/** Runs a call a second time when the first failure is one that `again` names. For reads: the call may have taken effect. */
export async function retryOnce<T>(again: (error: OutsideError) => boolean, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof OutsideError) || !again(error)) throw error;
  }
  await pause(pauseMs);
  return call();
}

/** errcode -1, with which both platforms ask for another try. */
export function isBusy(error: OutsideError): boolean {
  return error.errcode === -1;
}
