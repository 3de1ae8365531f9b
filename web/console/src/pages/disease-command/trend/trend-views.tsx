import { Segmented } from "antd";
import { useNavigate } from "react-router";
import { useTrendTexts as useTexts } from "#console/pages/disease-command/texts.ts";

interface TrendViewsProps {
  readonly list: string;
  readonly view: "list" | "trend";
}

/** The trend is a separate page, since the chart library is large. */
export function TrendViews({ list, view }: TrendViewsProps) {
  const t = useTexts();
  const navigate = useNavigate();
  return (
    <Segmented<TrendViewsProps["view"]>
      aria-label={t.view}
      value={view}
      options={(["list", "trend"] as const).map((value) => ({ value, label: t.views[value] }))}
      onChange={(chosen) => void navigate(chosen === "list" ? list : `${list}/trend`)}
    />
  );
}
