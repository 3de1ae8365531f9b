import { Link } from "react-router";
import { pushRelay } from "#shared/api/push-relay.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { useTexts } from "#shared/language/language.ts";
import { DirectoryDrawer, type Entry, readPlace, toPlace } from "#console/pages/push-relay/directory-drawer.tsx";
import { texts } from "#console/pages/push-relay/texts.ts";

/** The people and organisations that the changes have told of. */
export function DirectoryPage() {
  const t = useTexts(texts);
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
        // Two schools may have the same number.
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
