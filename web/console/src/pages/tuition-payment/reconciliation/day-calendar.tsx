import { LeftOutlined, RightOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { useState } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { addDays, today } from "#console/blocks/format.ts";
import { useRead } from "#console/call/use-call.ts";
import { type GatewayName, gatewayNames, useGateways } from "#console/pages/tuition-payment/orders/order.tsx";
import { useOrderTexts, useReconciliationTexts as useTexts } from "#console/pages/tuition-payment/texts.ts";
import "#console/pages/tuition-payment/reconciliation/day-calendar.css";

type Day = DataOf<typeof tuitionPayment.listReconciledDays>[number];
export interface DayOfGateway {
  readonly date: string;
  readonly gateway: GatewayName;
}

const shownDays = 28;

interface DayCalendarProps {
  readonly chosen: { readonly date?: string | undefined; readonly gateway?: string | undefined };
  readonly onChoose: (day: DayOfGateway) => void;
}

export function DayCalendar({ chosen, onChoose }: DayCalendarProps) {
  const t = useTexts();
  const [last, setLast] = useState(today);
  const query = { startDate: addDays(last, 1 - shownDays), endDate: last };
  const { data, error, refetch } = useRead(tuitionPayment.listReconciledDays, { query }, { keep: true });
  const configured = useGateways() ?? [];
  const shown = gatewayNames.filter(
    (name) => configured.includes(name) || data?.some(({ gateway }) => gateway === name),
  );
  const dates = Array.from({ length: shownDays }, (_, index) => addDays(query.startDate, index));
  return (
    <section className="q-card q-days" aria-label={t.days}>
      <header>
        <h2>{t.daysFrom(query.startDate, last)}</h2>
        <span className="q-buttons">
          <Button icon={<LeftOutlined />} aria-label={t.earlier} onClick={() => setLast(addDays(last, -shownDays))} />
          <Button
            icon={<RightOutlined />}
            aria-label={t.later}
            disabled={last >= today()}
            onClick={() => setLast(addDays(last, shownDays))}
          />
        </span>
      </header>
      {error && <Failure failure={error} onRetry={refetch} />}
      {shown.map((gateway) => (
        <GatewayDays
          key={gateway}
          gateway={gateway}
          dates={dates}
          days={(data ?? []).filter((day) => day.gateway === gateway)}
          chosen={chosen.gateway === gateway ? chosen.date : undefined}
          onChoose={(date) => onChoose({ date, gateway })}
        />
      ))}
      <p className="q-soft">{t.daysAbout}</p>
    </section>
  );
}

interface GatewayDaysProps {
  readonly gateway: GatewayName;
  readonly dates: readonly string[];
  readonly days: readonly Day[];
  readonly chosen: string | undefined;
  readonly onChoose: (date: string) => void;
}

function GatewayDays({ gateway, dates, days, chosen, onChoose }: GatewayDaysProps) {
  const { gateways } = useOrderTexts();
  const known = new Map(days.map((day) => [day.date, day]));
  return (
    <>
      <h3>{gateways[gateway]}</h3>
      <ol className="q-days-row">
        {dates.map((date) => (
          <li key={date}>
            <DayButton date={date} day={known.get(date)} isChosen={date === chosen} onPress={() => onChoose(date)} />
          </li>
        ))}
      </ol>
    </>
  );
}

interface DayButtonProps {
  readonly date: string;
  readonly day: Day | undefined;
  readonly isChosen: boolean;
  readonly onPress: () => void;
}

const stateOf = (day: Day | undefined) => {
  if (day === undefined || (day.isFetched && day.matched === 0 && day.open + day.booked === 0)) return "nothing";
  if (day.open > 0) return "open";
  if (day.isFetched) return "equal";
  // Today's statement arrives tomorrow.
  return day.date === today() ? "waiting" : "missing";
};

const tones = { nothing: "default", waiting: "default", open: "warning", equal: "success", missing: "error" } as const;

function DayButton({ date, day, isChosen, onPress }: DayButtonProps) {
  const t = useTexts();
  const state = stateOf(day);
  const mark = { nothing: "·", waiting: "?", open: String(day?.open), equal: "✓", missing: "?" }[state];
  const about = t.dayStates[state](
    date,
    day?.open ?? 0,
    day?.matched ?? null,
    day?.booked ?? 0,
    day?.compareTime ?? null,
  );
  return (
    <Tooltip title={about}>
      <button
        type="button"
        className={`q-day q-tone-${tones[state]}`}
        aria-label={about}
        aria-pressed={isChosen}
        onClick={onPress}
      >
        <span>{date.slice(8)}</span>
        <strong>{mark}</strong>
      </button>
    </Tooltip>
  );
}
