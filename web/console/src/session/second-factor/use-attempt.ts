import { useState } from "react";
import { CodeFailure } from "#console/call/code.ts";
import { PasskeyStopped } from "#console/session/second-factor/browser-passkeys.ts";
import { texts } from "#console/session/second-factor/texts.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#shared/language/language.ts";

/** Tries something, and says in words why it did not come to its end. */
export function useAttempt() {
  const t = useTexts(texts);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      await work();
    } catch (error) {
      if (error instanceof PasskeyStopped) setFailure(error.isKnown ? t.passkeyKnown : t.passkeyStopped);
      else if (error instanceof CallFailure || error instanceof CodeFailure) setFailure(error.message);
      else throw error;
    } finally {
      setBusy(false);
    }
  };
  return { attempt, busy, failure };
}
