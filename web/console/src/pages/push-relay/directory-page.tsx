import { Link } from "react-router";
import { pushRelay } from "#shared/api/push-relay.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { type RelayTexts, useTexts } from "#console/pages/push-relay/texts.ts";
import { Alert, Descriptions } from "antd";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import "#console/pages/push-relay/push-relay.css";

export function DirectoryPage() {
  const t = useTexts();
  const [opened, open] = useOpened();
  const place = readPlace(opened);
  const filters: Field[] = [
    {
      kind: "select",
      name: "kind",
      label: t.kind,
      options: (["person", "organisation"] as const).map((value) => ({ value, label: t.kinds[value] })),
    },
    { kind: "text", name: "keyword", label: t.keyword, placeholder: t.keywordHelp },
  ];
  const columns: Column<Entry>[] = [
    { field: "kind", title: t.kind, width: 110, render: ({ kind }) => t.kinds[kind] },
    { field: "subject", title: t.number, width: 190, sortable: true },
    { field: "name", title: t.name, width: 280, sortable: true, render: ({ name }) => name ?? t.unnamed },
    { field: "updateTime", title: t.updateTime, width: 175, sortable: true },
    actionColumn(t.actions, 80, (entry) => (
      <RowAction needs="nothing" label={t.openEntry(entry.name ?? entry.subject)} onClick={() => open(toPlace(entry))}>
        {t.open}
      </RowAction>
    )),
  ];
  return (
    <>
      <ListPage
        title={t.directory}
        about={t.directoryAbout}
        name="push-relay/directory"
        operation={pushRelay.listDirectory}
        filters={filters}
        columns={columns}
        // `subject` alone is not unique, since two schools may use the same number.
        rowKey={({ kind, subject, updateTime, name }) => [kind, subject, updateTime, name].join("/")}
        empty={{
          title: t.noDirectory,
          about: t.noDirectoryAbout,
          action: <Link to="/push-relay/applications">{t.applications}</Link>,
        }}
      />
      {place && <DirectoryDrawer place={place} onClose={() => open(undefined)} />}
    </>
  );
}

type Entry = RecordOf<typeof pushRelay.listDirectory>;
type Place = Pick<Entry, "kind" | "subject">;

const toPlace = ({ kind, subject }: Place): string => `${kind}/${subject}`;

function readPlace(text: string | undefined): Place | undefined {
  const [, kind, subject] = /^(person|organisation)\/(.+)$/s.exec(text ?? "") ?? [];
  return kind && subject ? { kind: kind as Entry["kind"], subject } : undefined;
}

const mostLike = 100;

function DirectoryDrawer({ place, onClose }: { readonly place: Place; readonly onClose: () => void }) {
  const t = useTexts();
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
  const t = useTexts();
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
  const { dataFields } = useTexts();
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

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  const isFlat = Array.isArray(value) && value.every((one) => typeof one !== "object" || one === null);
  return isFlat ? value.map(String).join(", ") : JSON.stringify(value, null, 2);
}
