import { OutsideError } from "./outside-error.ts";
import type { OutsideService } from "./outside-error.ts";

/** Real codes are 32 to 64 letters and digits; the bound keeps what strangers send out of our requests. */
const plausibleCode = /^[\x21-\x7e]{1,512}$/;

/** @throws OutsideError `code-invalid` for a text that cannot be a code, so that nothing is sent for it. */
export function checkCode(service: OutsideService, code: string): void {
  if (plausibleCode.test(code)) return;
  throw new OutsideError("the text is no authorisation code", {
    service,
    kind: "code-invalid",
    retryable: false,
  });
}
