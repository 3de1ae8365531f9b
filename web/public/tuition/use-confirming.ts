import { useCallback, useEffect, useRef, useState } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { Order } from "./order-status.tsx";
import { ask } from "./student.ts";

export interface Confirming {
  readonly isAsking: boolean;
  readonly hasFailed: boolean;
  readonly check: () => void;
}

const firstMs = 3000;
const mostTries = 6;

/**
 * Asks the gateway how a payment stands that is under way: some times by itself, ever more seldom, which takes in who
 * has just paid; after that when somebody wants it. A page that nobody sees asks nothing.
 */
export function useConfirming({ orderNo, status, gateway }: Order, onChange: () => void): Confirming {
  const [isAsking, setIsAsking] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const tries = useRef(0);
  const isOpen = status === "paying" && gateway !== null;
  const check = useCallback(async () => {
    if (gateway === null) return;
    setIsAsking(true);
    try {
      const order = await ask(tuitionPayment.queryOrder, { params: { gateway, orderNo } });
      setHasFailed(false);
      if (order.status !== status) onChange();
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setHasFailed(true);
    } finally {
      setIsAsking(false);
    }
  }, [gateway, orderNo, status, onChange]);
  useEffect(() => {
    if (!isOpen || isAsking || tries.current >= mostTries) return undefined;
    const timer = setTimeout(
      () => {
        if (document.hidden) return;
        tries.current += 1;
        void check();
      },
      firstMs * 2 ** tries.current,
    );
    return () => clearTimeout(timer);
  }, [isOpen, isAsking, check]);
  // Whoever comes back from another app has perhaps just paid there.
  useEffect(() => {
    if (!isOpen) return undefined;
    const look = () => document.hidden || void check();
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [isOpen, check]);
  return { isAsking, hasFailed, check: () => void check() };
}
