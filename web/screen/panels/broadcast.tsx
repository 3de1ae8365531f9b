import { Counting } from "#screen/blocks/counting.tsx";
import { Nothing, Panel, Value } from "#screen/blocks/panel.tsx";
import { Rotation } from "#screen/blocks/rotation.tsx";
import type { Overview } from "#screen/feed/use-feed.ts";
import { formatCount, formatShare } from "#screen/format.ts";
import { useTexts } from "#screen/texts.ts";

export function Broadcast({ broadcast }: { readonly broadcast: Overview["broadcast"] }) {
  const t = useTexts();
  const { statistics, records } = broadcast;
  return (
    <Panel area="broadcast" title={t.broadcast.title} data={broadcast}>
      <dl className="s-values">
        <Value label={t.broadcast.devices}>
          <Counting value={statistics.numOfDevice} format={formatCount} most={9} />
        </Value>
        <Value label={t.broadcast.online}>
          <Counting value={statistics.rateOfInline} format={formatShare} most={9} />
        </Value>
        <Value label={t.broadcast.count}>
          <Counting value={statistics.numOfBroadcasts} format={formatCount} most={9} />
        </Value>
        <Value label={t.broadcast.hours}>
          <Counting value={statistics.broadcastDuration} format={formatCount} most={9} />
        </Value>
      </dl>
      {statistics.broadcastTime !== "" && (
        <p className="s-periods">
          {t.broadcast.periods}{" "}
          {statistics.broadcastTime.split(",").map((period) => (
            <span key={period}>{period}</span>
          ))}
        </p>
      )}
      {records.length === 0 ? (
        <Nothing>{t.broadcast.none}</Nothing>
      ) : (
        <Rotation
          label={t.broadcast.latest}
          rows={records}
          rowRem={7.2}
          keyOf={({ id }) => id}
          render={(record) => (
            <div className="s-line">
              <strong>{record.title}</strong>
              <span>{record.address}</span>
              <time>{record.playTime?.slice(5, 16) ?? ""}</time>
            </div>
          )}
        />
      )}
    </Panel>
  );
}
