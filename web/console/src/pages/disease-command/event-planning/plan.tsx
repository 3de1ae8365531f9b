import { diseaseCommand } from "#shared/api/disease-command.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { usePlanTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { Content, ContentField } from "#console/pages/disease-command/records/content.tsx";
import type { Records } from "#console/pages/disease-command/records/records.ts";
import { Segmented } from "antd";
import { useNavigate } from "react-router";

export type Plan = DataOf<typeof diseaseCommand.findPlan>;

export function usePlans(): Records<Plan> {
  const t = useTexts();
  return {
    one: t.one,
    what: "eventPlan",
    operations: {
      list: diseaseCommand.listPlans,
      find: diseaseCommand.findPlan,
      save: diseaseCommand.savePlan,
      update: diseaseCommand.updatePlan,
      remove: diseaseCommand.deletePlans,
    },
    nameOf: ({ title }) => title,
    formWidth: 760,
    fields: [
      { kind: "text", name: "title", label: t.planTitle, required: true, max: 255, wide: true, width: 320 },
      { kind: "dateTime", name: "startTime", label: t.startTime, required: true },
      { kind: "dateTime", name: "publishTime", label: t.publishTime, help: t.publishTimeHelp },
      {
        kind: "own",
        name: "content",
        label: t.content,
        required: true,
        wide: true,
        listed: "never",
        control: <ContentField />,
        render: ({ content }) => <Content content={content} />,
      },
    ],
  };
}

const addresses = { list: "/disease-command/plans", months: "/disease-command/plans/calendar" } as const;

export function PlanViews({ view }: { readonly view: keyof typeof addresses }) {
  const t = useTexts();
  const navigate = useNavigate();
  return (
    <Segmented<keyof typeof addresses>
      aria-label={t.view}
      value={view}
      options={(["list", "months"] as const).map((value) => ({ value, label: t.views[value] }))}
      onChange={(chosen) => void navigate(addresses[chosen])}
    />
  );
}
