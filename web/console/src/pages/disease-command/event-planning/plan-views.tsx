import { Segmented } from "antd";
import { useNavigate } from "react-router";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/disease-command/event-planning/texts.ts";

const addresses = { list: "/disease-command/plans", months: "/disease-command/plans/calendar" } as const;

/** Between the list and the calendar. */
export function PlanViews({ view }: { readonly view: keyof typeof addresses }) {
  const t = useTexts(texts);
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
