import { Alert, Descriptions } from "antd";
import { Link } from "react-router";
import { pushRelay } from "#shared/api/push-relay.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { type RelayTexts, texts } from "#console/pages/push-relay/texts.ts";
import "#console/pages/push-relay/push-relay.css";

export type Entry = RecordOf<typeof pushRelay.listDirectory>;
type Place = Pick<Entry, "kind" | "subject">;

/** How the address names an entry: `person/07302590`. */
export const toPlace = ({ kind, subject }: Place): string => `${kind}/${subject}`;

/** The reverse of toPlace; undefined for anything else. */
export function readPlace(text: string | undefined): Place | undefined {
  const [, kind, subject] = /^(person|organisation)\/(.+)$/s.exec(text ?? "") ?? [];
  return kind && subject ? { kind: kind as Entry["kind"], subject } : undefined;
}

const mostLike = 100;

/** A person or an organisation as the campus platform last sent it; each school that has the number has one. */
export function DirectoryDrawer({ place, onClose }: { readonly place: Place; readonly onClose: () => void }) {
  const t = useTexts(texts);
  const { kind, subject } = place;
  const { data, error, refetch } = useRead(pushRelay.listDirectory, {
    query: { curPage: 1, pageSize: mostLike, kind, keyword: subject },
  });
  const entries = data?.list.filter((entry) => entry.subject === subject);
  const [first] = entries ?? [];
  return (
    <DetailDrawer
      title={first?.name ?? subject}
      details={error || entries?.length === 0 ? [] : first && describe(first, t)}
      width={720}
      onClose={onClose}
    >
      {error && <Failure failure={error} onRetry={refetch} />}
      {entries?.length === 0 && <Alert type="warning" showIcon title={t.noEntry} />}
      {entries?.map((entry) => (
        <EntryData key={`${entry.updateTime} ${entry.name}`} entry={entry} />
      ))}
    </DetailDrawer>
  );
}

const describe = ({ kind, subject, updateTime }: Entry, t: RelayTexts) => [
  { label: t.kind, value: t.kinds[kind] },
  { label: t.number, value: subject },
  { label: t.updateTime, value: updateTime },
  {
    label: t.deliveries,
    value: <Link to={`/push-relay/deliveries?subject=${encodeURIComponent(subject)}`}>{t.seeDeliveries}</Link>,
  },
];

function EntryData({ entry: { data } }: { readonly entry: Entry }) {
  const t = useTexts(texts);
  return (
    <section className="q-push-part" aria-label={t.data}>
      <h3>{t.data}</h3>
      <Descriptions
        bordered
        size="small"
        column={1}
        styles={{ label: { width: 200 } }}
        items={Object.entries(data).map(([field, value]) => ({
          key: field,
          label: <FieldName field={field} />,
          children: <pre className="q-push-data">{toText(value)}</pre>,
        }))}
      />
    </section>
  );
}

function FieldName({ field }: { readonly field: string }) {
  const { dataFields } = useTexts(texts);
  const known = field in dataFields ? dataFields[field as keyof typeof dataFields] : undefined;
  return (
    <>
      {known ?? <code>{field}</code>}
      {known !== undefined && (
        <div className="q-soft">
          <code>{field}</code>
        </div>
      )}
    </>
  );
}

/** A value as it came; lists of plain values in one line. */
function toText(value: unknown): string {
  if (typeof value === "string") return value;
  const isFlat = Array.isArray(value) && value.every((one) => typeof one !== "object" || one === null);
  return isFlat ? value.map(String).join(", ") : JSON.stringify(value, null, 2);
}
