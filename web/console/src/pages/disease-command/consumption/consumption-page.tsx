import { diseaseCommand } from "#shared/api/disease-command.ts";
import { Bar } from "#console/blocks/bar.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useConsumptionTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";

type Category = RecordOf<typeof diseaseCommand.listConsumption>;
type Shown = Category & { readonly share?: number };

export function ConsumptionPage() {
  const t = useTexts();
  const { data } = useRead(diseaseCommand.listConsumption, { query: { pageSize: 100 } });
  const total = (data?.list ?? []).reduce((sum, { value }) => sum + value, 0);
  const percent = (value: number) => (total > 0 ? (value / total) * 100 : 0);
  return (
    <RecordPage<Shown>
      title={t.title}
      about={`${t.about} ${t.total(format(total))}`}
      one={t.one}
      name="consumption"
      what="consumptionCategory"
      operations={{ list: diseaseCommand.listConsumption, update: diseaseCommand.updateConsumption }}
      nameOf={({ categoryName }) => categoryName}
      fields={[
        { kind: "text", name: "categoryName", label: t.categoryName, asked: false },
        { kind: "number", name: "value", label: t.value, required: true, min: 0, unit: t.unit, width: 180 },
        {
          kind: "text",
          name: "share",
          label: t.share,
          asked: false,
          width: 320,
          sortable: false,
          render: ({ value }) => <Bar percent={percent(value)} text={`${percent(value).toFixed(1)}%`} />,
        },
      ]}
      empty={{ title: t.empty }}
    />
  );
}

const format = (value: number): string => value.toLocaleString("en-GB", { maximumFractionDigits: 2 });
