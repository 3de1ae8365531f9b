import { useReading } from "#public/blocks/use-reading.ts";
import { Card } from "#screen/blocks/card.tsx";
import { Unread } from "#screen/cards/unread.tsx";
import { Value } from "#screen/blocks/panel.tsx";
import { formatCount } from "#screen/format.ts";
import { texts } from "#screen/texts.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { callWith } from "#shared/call/call.ts";
import { useTexts } from "#shared/language/language.ts";

interface ToiletCardProps {
  readonly id: number;
  readonly onClose: () => void;
}

/** A toilet: where it is, and what there is in it. */
export function ToiletCard({ id, onClose }: ToiletCardProps) {
  const t = useTexts(texts);
  const { data, failure, retry } = useReading(String(id), (signal) =>
    callWith(diseaseCommand.findToilet, { params: { id } }, { signal }),
  );
  return (
    <Card title={data?.name ?? t.toilet.title} onClose={onClose}>
      {!data && <Unread failure={failure} words={t.toilet.failed} onRetry={retry} />}
      {data && (
        <dl className="s-facts">
          <Value label={t.toilet.place}>{data.addrDesc}</Value>
          <Value label={t.toilet.level}>{data.level}</Value>
          <Value label={t.toilet.stalls}>
            {t.toilet.of(formatCount(data.numOfMan), formatCount(data.numOfWoman), formatCount(data.numOfCommon))}
          </Value>
          <Value label={t.toilet.barrierFree}>{formatCount(data.numOfBarrierFree)}</Value>
          <Value label={t.toilet.third}>{formatCount(data.numOfThird)}</Value>
        </dl>
      )}
    </Card>
  );
}
