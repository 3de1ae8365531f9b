import type { Field } from "#console/blocks/fields.tsx";
import { type Plan, PlanViews, usePlans } from "#console/pages/disease-command/event-planning/plan.tsx";
import { usePlanTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";

export function PlansPage() {
  const t = useTexts();
  const plans = usePlans();
  const filters: Field[] = [
    { kind: "dateTime", name: "startTime", label: t.from },
    { kind: "dateTime", name: "endTime", label: t.until },
  ];
  return (
    <RecordPage<Plan>
      {...plans}
      title={t.title}
      name="plans"
      filters={filters}
      actions={<PlanViews view="list" />}
      empty={{ title: t.empty, about: t.emptyAbout }}
    />
  );
}
