import { useRef, useState } from "react";
import { useReading } from "#shared/call/use-reading.ts";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { formatFen } from "#shared/money.ts";
import { type Line, revise, type Revised, sumFen, toOrderBody } from "./choice.ts";
import { type Chosen, currentChoice, forgetChoice, keepChoice } from "#public/tuition/owed.ts";
import {
  type Gateway,
  GatewayChoice,
  type GatewayChoiceProps,
  isUsable,
  ownOrder,
  payAt,
} from "#public/tuition/paying.tsx";
import { keepCode } from "#public/tuition/pay-code.tsx";
import { LineList } from "./line-list.tsx";
import { go, Link, paths } from "#public/tuition/route.tsx";
import { Nothing, Notice } from "#public/blocks/notice.tsx";
import { useOwed } from "./owed.ts";
import { ask } from "./student.ts";
import { useTexts } from "./texts.ts";
import { useSending } from "#public/blocks/use-sending.ts";

export function PayPage() {
  const t = useTexts();
  const [chosen] = useState(currentChoice);
  const owed = useOwed();
  const gateways = useReading("gateways", (signal) => ask(tuitionPayment.listGateways, {}, { signal }));
  const failure = owed.failure ?? gateways.failure;
  const again = () => {
    owed.retry();
    gateways.retry();
  };
  return (
    <>
      {chosen === undefined ? (
        <Nothing title={t.nothingChosen}>
          <Link to={paths.owed}>{t.backToOwed}</Link>
        </Nothing>
      ) : failure ? (
        <Failed failure={failure} retry={again} />
      ) : owed.data && gateways.data ? (
        <Check chosen={chosen} present={owed.data.lines} gateways={gateways.data} onChange={owed.retry} />
      ) : (
        <Waiting />
      )}
    </>
  );
}

interface CheckProps {
  readonly chosen: Chosen;
  readonly present: readonly Line[];
  readonly gateways: readonly Gateway[];
  readonly onChange: () => void;
}

function Check({ chosen, present, gateways, onChange }: CheckProps) {
  const t = useTexts();
  const revised = revise(chosen.lines, present);
  const { lines, dropped, isRepriced } = revised;
  const usable = gateways.filter(isUsable);
  const [picked, setPicked] = useState<Gateway["gateway"]>();
  const gateway = usable.find((each) => each.gateway === picked) ?? (usable.length === 1 ? usable[0] : undefined);
  const { isSending, failure, order } = useOrdering(chosen, onChange);
  const isTold = ({ code }: CallFailure) => (dropped.length > 0 || isRepriced) && changes.has(code);
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (gateway) order(lines, gateway);
      }}
    >
      <Changes revised={revised} />
      {lines.length > 0 && (
        <>
          <LineList lines={lines} total={t.amountDue} />
          <Gateways gateways={gateways} value={gateway?.gateway} onChange={setPicked} />
          {failure && !isTold(failure) && <Notice tone="bad" title={failure.message} />}
          {isSending && <p role="status">{t.leaving}</p>}
          <button
            type="submit"
            className="button"
            data-kind="main"
            data-wide=""
            disabled={gateway === undefined || isSending}
          >
            {t.submit(formatFen(sumFen(lines)))}
          </button>
        </>
      )}
      <Link to={paths.owed} className="button">
        {t.backToOwed}
      </Link>
    </form>
  );
}

function Gateways(props: GatewayChoiceProps) {
  const t = useTexts();
  if (props.gateways.length > 0) return <GatewayChoice {...props} />;
  return (
    <Notice tone="warn" title={t.noGateway}>
      <p>{t.noGatewayAbout}</p>
    </Notice>
  );
}

/** The order's page opens with the QR code, or with the failure if the gateway refuses after the order was placed. */
function useOrdering(chosen: Chosen, onChange: () => void) {
  const t = useTexts();
  const { isSending, failure, send } = useSending();
  const ordered = useRef(chosen);
  const order = (lines: readonly Line[], gateway: Gateway) =>
    send(async () => {
      // The order may cover fewer items than were selected, in which case it needs a new idempotency key.
      if (JSON.stringify(lines) !== JSON.stringify(ordered.current.lines)) ordered.current = keepChoice(lines);
      const orderNo = await placeOrder(ordered.current, onChange);
      try {
        const code = await payAt(ownOrder(orderNo), gateway);
        if (code === undefined) return;
        keepCode(orderNo, code);
        go(paths.order(orderNo), { replace: true });
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
        go(paths.order(orderNo), { replace: true, tells: t.gatewayFailed(error.message) });
      }
    });
  return { isSending, failure, order };
}

/**
 * After these refusals the data shown is out of date: an item was paid, held, repriced or removed, or the student's
 * grade may not pay.
 */
const changes = new Set(["10029", "10007", "10021", "10013", "10025", "10019"]);

async function placeOrder({ lines, key }: Chosen, onChange: () => void): Promise<string> {
  try {
    const { orderNo } = await ask(tuitionPayment.createOrder, { body: toOrderBody(lines) }, { idempotencyKey: key });
    forgetChoice();
    return orderNo;
  } catch (error) {
    if (error instanceof CallFailure && changes.has(error.code)) onChange();
    throw error;
  }
}

function Changes({ revised: { lines, dropped, isRepriced } }: { readonly revised: Revised }) {
  const t = useTexts();
  if (dropped.length === 0 && !isRepriced) return null;
  return (
    <Notice tone="warn" title={lines.length === 0 ? t.nothingLeft : t.changed}>
      {isRepriced && <p>{t.repriced}</p>}
      {dropped.length > 0 && <p>{t.dropped}</p>}
      <ul>
        {dropped.map(({ key, years, name, state }) => (
          <li key={key}>
            {years} {name} · {t.states[state]}
          </li>
        ))}
      </ul>
      {dropped.some(({ state }) => state === "held") && (
        <Link to={paths.orders} className="button">
          {t.toOrders}
        </Link>
      )}
    </Notice>
  );
}
