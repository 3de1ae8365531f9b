import assert from "node:assert/strict";
import { OutsideError } from "#platform/messaging/index.ts";

export const failOf = (call: Promise<unknown>): Promise<OutsideError> =>
  call.then(
    () => assert.fail("did not fail"),
    (error: unknown) => {
      assert.ok(error instanceof OutsideError, String(error));
      return error;
    },
  );
