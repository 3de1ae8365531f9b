import { Bars } from "#screen/blocks/bars.tsx";
import { Counting } from "#screen/blocks/counting.tsx";
import { Nothing, Panel } from "#screen/blocks/panel.tsx";
import type { Overview } from "#screen/feed/use-feed.ts";
import { formatNumber } from "#screen/format.ts";
import { sum } from "#screen/panels/detection-figures.ts";
import { useTexts } from "#screen/texts.ts";

export function Consumption({ rows }: { readonly rows: Overview["consumptionCategoryStatistics"] }) {
  const t = useTexts();
  const total = sum(rows.map(({ value }) => value));
  const about = (
    <>
      {t.consumption.total} <Counting value={total} format={formatNumber} />
    </>
  );
  return (
    <Panel area="consumption" title={t.consumption.title} data={rows} about={total > 0 ? about : undefined}>
      {total > 0 ? (
        <Bars
          label={t.consumption.title}
          rows={rows.map(({ id, categoryName, value }) => ({ id, name: categoryName, value }))}
          format={formatNumber}
        />
      ) : (
        <Nothing>{t.consumption.none}</Nothing>
      )}
    </Panel>
  );
}
