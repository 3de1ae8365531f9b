import { useRef, useState } from "react";
import { CallFailure } from "#shared/call/failure.ts";

export interface Sending {
  readonly isSending: boolean;
  readonly failure: CallFailure | undefined;
  /** Does nothing while an action is in flight, so that a double tap before the next render sends once. */
  readonly send: (action: () => Promise<void>) => void;
}

export function useSending(): Sending {
  const isUnderWay = useRef(false);
  const [isSending, setIsSending] = useState(false);
  const [failure, setFailure] = useState<CallFailure>();
  const run = async (action: () => Promise<void>) => {
    isUnderWay.current = true;
    setIsSending(true);
    setFailure(undefined);
    try {
      await action();
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setFailure(error);
    } finally {
      isUnderWay.current = false;
      setIsSending(false);
    }
  };
  return { isSending, failure, send: (action) => void (isUnderWay.current || run(action)) };
}
