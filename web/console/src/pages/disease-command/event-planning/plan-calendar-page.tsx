import { LeftOutlined, PlusOutlined, RightOutlined } from "@ant-design/icons";
import { Button, Popover, Space, Spin } from "antd";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { DateText } from "#console/blocks/fields.tsx";
import { today } from "#console/blocks/format.ts";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import type { DataOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { type Plan, PlanViews, usePlans } from "#console/pages/disease-command/event-planning/plan.tsx";
import { usePlanTexts as useTexts, useRecordTexts } from "#console/pages/disease-command/texts.ts";
import { RecordEditor } from "#console/pages/disease-command/records/record-editor.tsx";
import { useMay } from "#console/session/session.ts";
import "#console/pages/disease-command/event-planning/plan-calendar.css";

type ListedPlan = DataOf<typeof diseaseCommand.listPlansByMonth>["list"][number]["plannings"][number];

export function PlanCalendarPage() {
  const t = useTexts();
  const { create } = useRecordTexts();
  const may = useMay();
  const [search, setSearch] = useSearchParams();
  const month = readMonth(search.get("month")) ?? today().slice(0, 7);
  const show = (next: string) => setSearch({ month: next });
  const query = { ...toSpan(month), pageSize: 1 };
  const { data, error, isFetching, isPlaceholderData, refetch } = useRead(
    diseaseCommand.listPlansByMonth,
    { query },
    { keep: true },
  );
  const plans = data?.list[0]?.plannings ?? [];
  const [year = 0, number = 1] = month.split("-").map(Number);
  const records = usePlans();
  const [edited, edit] = useState<Partial<Plan>>();
  return (
    <>
      <PageHead
        title={t.title}
        about={data && !isPlaceholderData && (plans.length > 0 ? t.planned(plans.length) : t.nothingPlanned)}
      >
        <Space>
          <PlanViews view="months" />
          {may(diseaseCommand.savePlan) && (
            <Button type="primary" onClick={() => edit({})}>
              {create(records.one)}
            </Button>
          )}
        </Space>
      </PageHead>
      <section className="q-card" aria-label={t.monthName(year, number)}>
        <div className="q-disease-month-bar">
          <h2>{t.monthName(year, number)}</h2>
          <Space wrap>
            <Button icon={<LeftOutlined />} aria-label={t.previousMonth} onClick={() => show(addMonths(month, -1))} />
            <Button onClick={() => show(today().slice(0, 7))}>{t.thisMonth}</Button>
            <Button icon={<RightOutlined />} aria-label={t.nextMonth} onClick={() => show(addMonths(month, 1))} />
            <label className="q-disease-month-choice">
              <span className="q-disease-unseen">{t.month}</span>
              <DateText kind="month" value={month} onChange={(chosen) => chosen && show(chosen)} />
            </label>
          </Space>
        </div>
        {error ? (
          <Failure failure={error} onRetry={refetch} />
        ) : (
          <Spin spinning={isFetching && (data === undefined || isPlaceholderData)} delay={150}>
            <ol className="q-disease-month">
              {t.weekdays.map((weekday) => (
                <li key={weekday} className="q-disease-weekday" aria-hidden>
                  {weekday}
                </li>
              ))}
              {toGrid(month).map((day) => (
                <Day
                  key={day.day}
                  {...day}
                  plans={plans.filter(({ startTime }) => startTime.startsWith(day.day))}
                  onNew={edit}
                />
              ))}
            </ol>
          </Spin>
        )}
      </section>
      <RecordEditor<Plan> records={records} edited={edited} onEdit={edit} />
    </>
  );
}

interface DayProps extends GridDay {
  readonly plans: readonly ListedPlan[];
  readonly onNew: (plan: Partial<Plan>) => void;
}

const mostShown = 3;

function Day({ day, number, isOfMonth, plans, onNew }: DayProps) {
  const t = useTexts();
  const may = useMay();
  const marks = [isOfMonth ? "" : "q-disease-other-day", day === today() ? "q-disease-today" : ""];
  const rest = plans.slice(mostShown);
  return (
    <li className={`q-disease-day ${marks.join(" ")}`}>
      <div className="q-disease-day-head">
        <time dateTime={day}>{number}</time>
        {may(diseaseCommand.savePlan) && (
          <Button
            type="text"
            size="small"
            className="q-disease-day-new"
            icon={<PlusOutlined />}
            aria-label={t.newOn(day)}
            onClick={() => onNew({ startTime: `${day} 09:00:00` })}
          />
        )}
      </div>
      {plans.slice(0, mostShown).map((plan) => (
        <PlanButton key={plan.id} plan={plan} />
      ))}
      {rest.length > 0 && (
        <Popover
          trigger="click"
          title={day}
          content={
            <div className="q-disease-day-plans">
              {plans.map((plan) => (
                <PlanButton key={plan.id} plan={plan} />
              ))}
            </div>
          }
        >
          <Button type="link" size="small">
            {t.more(rest.length)}
          </Button>
        </Popover>
      )}
    </li>
  );
}

function PlanButton({ plan: { id, title, startTime } }: { readonly plan: ListedPlan }) {
  const [, open] = useOpened();
  return (
    <button type="button" className="q-disease-plan" title={title} onClick={() => open(id)}>
      <time className="q-figures">{startTime.slice(11, 16)}</time> {title}
    </button>
  );
}

interface GridDay {
  readonly day: string;
  readonly number: number;
  readonly isOfMonth: boolean;
}

const msPerDay = 24 * 60 * 60 * 1000;
const toText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function toGrid(month: string): GridDay[] {
  const [year = 0, number = 1] = month.split("-").map(Number);
  const firstMs = Date.UTC(year, number - 1, 1);
  const nextMs = Date.UTC(year, number, 1);
  const startMs = firstMs - ((new Date(firstMs).getUTCDay() + 6) % 7) * msPerDay;
  const days = Math.ceil((nextMs - startMs) / msPerDay / 7) * 7;
  return Array.from({ length: days }, (_, place) => {
    const ms = startMs + place * msPerDay;
    return { day: toText(ms), number: new Date(ms).getUTCDate(), isOfMonth: ms >= firstMs && ms < nextMs };
  });
}

const readMonth = (text: string | null): string | undefined =>
  text !== null && /^[1-9]\d{3}-(?:0[1-9]|1[0-2])$/.test(text) ? text : undefined;

function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return toText(Date.UTC(year, number - 1 + count, 1)).slice(0, 7);
}

function toSpan(month: string): { readonly startTime: string; readonly endTime: string } {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return { startTime: `${month}-01 00:00:00`, endTime: `${toText(Date.UTC(year, number, 0))} 23:59:59` };
}
