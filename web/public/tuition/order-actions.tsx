import { useState } from "react";
import { useReading } from "#shared/call/use-reading.ts";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#shared/language/language.ts";
import { toChosen } from "./choice.ts";
import { keepChoice } from "./chosen.ts";
import { type Gateway, GatewayChoice, isUsable } from "./gateways.tsx";
import { Notice } from "./notice.tsx";
import type { Order } from "./order-status.tsx";
import { payAt } from "./paying.ts";
import { go, paths } from "./route.ts";
import { ask } from "./student.ts";
import { SureButton } from "./sure-button.tsx";
import { texts } from "./texts.ts";
import { useSending } from "./use-sending.ts";

interface OrderActionsProps {
  readonly order: Order;
  readonly onCheck: () => void;
  readonly onChange: () => void;
}

/** What a student can do about an order, which its state decides. */
export function OrderActions({ order, onCheck, onChange }: OrderActionsProps) {
  const t = useTexts(texts);
  const isOpen = order.status === "created" || order.status === "paying";
  if (isOpen) return <Open order={order} onCheck={onCheck} onChange={onChange} />;
  if (order.status !== "closed" && order.status !== "refunded") return null;
  const payAgain = () => {
    keepChoice(toChosen(order.payables));
    go(paths.pay);
  };
  return (
    <button type="button" className="button" data-kind="main" data-wide="" onClick={payAgain}>
      {t.payAgain}
    </button>
  );
}

function Open({ order, onCheck, onChange }: OrderActionsProps) {
  const t = useTexts(texts);
  const { orderNo, status } = order;
  const { gateways, gateway, pick } = useGatewayOf(order);
  const { isSending, failure, send } = useSending();
  /** Whatever it comes to, the order is read again: it may have been paid or closed meanwhile. */
  const act = (action: () => Promise<unknown>) =>
    send(async () => {
      try {
        await action();
      } catch (error) {
        if (error instanceof CallFailure && error.code === "10007") onChange();
        throw error;
      }
    });
  const cancel = async () => {
    await ask(tuitionPayment.closeOrder, { params: { orderNo } });
    onChange();
  };
  return (
    <>
      {status === "created" && gateways.length > 1 && (
        <GatewayChoice gateways={gateways} value={gateway} onChange={pick} />
      )}
      {failure && <Notice tone="bad" title={failure.message} />}
      <div className="stack">
        <button
          type="button"
          className="button"
          data-kind="main"
          data-wide=""
          disabled={gateway === undefined || isSending}
          onClick={() => gateway && act(() => payAt(orderNo, gateway))}
        >
          {t.goOn}
        </button>
        {status === "paying" && (
          <button type="button" className="button" onClick={onCheck}>
            {t.checkNow}
          </button>
        )}
        <SureButton
          label={t.cancel}
          sure={t.cancelSure}
          keep={t.keepOrder}
          isBusy={isSending}
          onSure={() => act(cancel)}
        />
      </div>
    </>
  );
}

/** The gateway that the order is at, else the one that is picked, else the only one. */
function useGatewayOf({ gateway: fixed }: Order) {
  const [picked, pick] = useState<Gateway["gateway"]>();
  const { data = [] } = useReading("gateways", (signal) => ask(tuitionPayment.listGateways, {}, { signal }));
  const usable = data.filter(isUsable);
  const only = usable.length === 1 ? usable[0]?.gateway : undefined;
  return { gateways: data, gateway: fixed ?? picked ?? only, pick };
}
