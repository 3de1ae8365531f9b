import { Nothing, Panel } from "#screen/blocks/panel.tsx";
import { Rotation } from "#screen/blocks/rotation.tsx";
import { useNow } from "#screen/clock.ts";
import type { Overview } from "#screen/feed/use-feed.ts";
import { formatInstant } from "#shared/instant.ts";
import { useTexts } from "#screen/texts.ts";

type Plan = Overview["eventPlanning"][number];

interface PlansProps {
  readonly plans: Overview["eventPlanning"];
  readonly summaries: Overview["eventPlanningMonthSummary"];
}

export function Plans({ plans, summaries }: PlansProps) {
  const t = useTexts();
  const now = formatInstant(useNow(60_000));
  const ofMonth = plans.filter(({ startTime }) => startTime.startsWith(now.slice(0, 7)));
  const next = ofMonth.find(({ startTime }) => startTime >= now);
  const isOver = ({ startTime }: Plan) => startTime < now;
  const rows = [...ofMonth.filter((plan) => !isOver(plan)), ...ofMonth.filter(isOver).toReversed()];
  const summary = summaries[0];
  return (
    <Panel area="plans" title={t.plans.title} data={plans} about={summary && t.plans.summary(summary.title)}>
      {ofMonth.length === 0 ? (
        <Nothing>{t.plans.none}</Nothing>
      ) : (
        <Rotation
          label={t.plans.title}
          rows={rows}
          rowRem={4.8}
          keyOf={({ id }) => id}
          render={(plan) => (
            <div className={`s-plan ${isOver(plan) ? "s-over" : ""}`}>
              <time>{plan.startTime.slice(5, 16)}</time>
              <strong>{plan.title}</strong>
              {plan === next && <span className="s-tag">{t.plans.next}</span>}
            </div>
          )}
        />
      )}
    </Panel>
  );
}
