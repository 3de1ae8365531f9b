import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useEffect, useState } from "react";
import { useTexts } from "#console/blocks/queue/texts.ts";
import { hold, type Send, sendHeld, takeBack } from "#console/call/held.ts";
import type { CallOptions } from "#console/call/call.ts";
import { refreshReads } from "#console/call/use-call.ts";
import { CallFailure } from "#shared/call/failure.ts";

export const undoMs = 10_000;

export interface Decision {
  readonly said: string;
  /** Sends the decision. The options let the request outlive its tab. */
  readonly send: (options: CallOptions) => Promise<unknown>;
  /** If false, the decision is sent at once and cannot be undone in the queue. */
  readonly isHeld?: boolean;
}

interface Made {
  readonly id: string;
  readonly said: string;
  readonly send: Send;
  readonly isHeld: boolean;
}

export interface Decisions {
  readonly ids: ReadonlySet<string>;
  readonly last: Made | undefined;
  readonly decide: (id: string, decision: Decision) => void;
  readonly undo: () => string | undefined;
}

export function useDecisions(service: string): Decisions {
  const t = useTexts();
  const { message } = App.useApp();
  const queries = useQueryClient();
  const [made, setMade] = useState<readonly Made[]>([]);
  useEffect(() => () => void sendHeld(), []);
  const drop = (send: Send) => setMade((all) => all.filter((one) => one.send !== send));
  const decide = (id: string, { said, send: call, isHeld = true }: Decision) => {
    const send = async () => {
      setMade((all) => all.map((one) => (one.send === send ? { ...one, isHeld: false } : one)));
      try {
        await call({ keepalive: true });
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
        void message.error(t.notSaved(said, error.message));
      }
      // The record stays hidden until the list has been read without it; after a failed call it reappears.
      await refreshReads(queries, service);
      drop(send);
    };
    setMade((all) => [...all, { id, said, send, isHeld }]);
    if (isHeld) hold(send, undoMs);
    else void send();
  };
  const last = made.findLast(({ isHeld }) => isHeld);
  const undo = () => {
    if (!last || !takeBack(last.send)) return undefined;
    drop(last.send);
    return last.id;
  };
  return { ids: new Set(made.map(({ id }) => id)), last, decide, undo };
}
