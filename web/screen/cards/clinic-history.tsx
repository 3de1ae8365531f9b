import { useReading } from "#shared/call/use-reading.ts";
import { Card } from "#screen/blocks/card.tsx";
import { Nothing } from "#screen/blocks/panel.tsx";
import { TrendChart } from "#screen/blocks/trend-chart.tsx";
import type { Overview } from "#screen/feed/use-feed.ts";
import { formatCount } from "#screen/format.ts";
import { useTexts } from "#screen/texts.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { callWith } from "#shared/call/exchange.ts";

const days = 30;

interface ClinicHistoryProps {
  readonly hospitalName: string;
  readonly data: Overview["feverClinicOfHospitalStatistics"];
  readonly onClose: () => void;
}

export function ClinicHistory({ hospitalName, data, onClose }: ClinicHistoryProps) {
  const t = useTexts();
  const latest = data.map(({ id, updateTime }) => `${id} ${updateTime}`).join();
  const { data: rows, failure, retry } = useReading(latest, (signal) => readHistory(hospitalName, signal));
  const last = rows?.at(-1);
  return (
    <Card title={t.clinics.history(hospitalName)} onClose={onClose}>
      {!rows && <Unread failure={failure} words={t.clinics.failed} onRetry={retry} />}
      {rows && !last && <Nothing>{t.clinics.none}</Nothing>}
      {rows && last && (
        <>
          <p className="s-card-about">
            {t.clinics.days} · {last.statisticsDate} {t.clinics.persons(formatCount(last.feverClinicCount))}
          </p>
          <div className="s-card-chart">
            <TrendChart
              label={rows.map((row) => `${row.statisticsDate} ${formatCount(row.feverClinicCount)}`).join("; ")}
              days={rows.map(({ statisticsDate }) => statisticsDate)}
              series={[{ name: hospitalName, values: rows.map(({ feverClinicCount }) => feverClinicCount) }]}
            />
          </div>
        </>
      )}
    </Card>
  );
}

async function readHistory(hospitalName: string, signal: AbortSignal) {
  const query = { hospitalName, orderField: "statisticsDate", order: "desc", pageSize: days } as const;
  const { list } = await callWith(diseaseCommand.listFeverClinics, { query }, { signal });
  return list.toReversed();
}

interface UnreadProps {
  readonly failure: Error | undefined;
  readonly words: string;
  readonly onRetry: () => void;
}

function Unread({ failure, words, onRetry }: UnreadProps) {
  const t = useTexts();
  if (!failure) return <p role="status">{t.waiting}</p>;
  return (
    <div role="alert" className="s-failed">
      <p>{words}</p>
      <button type="button" className="s-button" onClick={onRetry}>
        {t.retry}
      </button>
    </div>
  );
}
