import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { Button, Typography } from "antd";
import { platform } from "#shared/api/platform.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { formatInstant } from "#shared/instant.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useChange } from "#console/call/use-call.ts";
import { useServiceOptions } from "#console/pages/platform/service-options.ts";
import { useTexts } from "#console/pages/platform/texts.ts";
import { useServiceNames } from "#console/sections.ts";
import { nameBrowser } from "#console/session/own-sessions.tsx";

type SignedIn = RecordOf<typeof platform.listSessions>;

export function SessionsPage() {
  const t = useTexts();
  const nameService = useServiceNames();
  const services = useServiceOptions();
  const end = useEnd();
  const filters: Field[] = [
    { kind: "text", name: "userName", label: t.userName },
    { kind: "select", name: "service", label: t.service, options: services },
  ];
  const columns: Column<SignedIn>[] = [
    {
      field: "userName",
      title: t.account,
      width: 190,
      sortable: true,
      render: ({ userName, name, current }) => (
        <>
          {userName}
          {name !== "" && name !== userName && ` (${name})`}
          {current && <Typography.Text type="secondary">{` · ${t.current}`}</Typography.Text>}
        </>
      ),
    },
    { field: "service", title: t.service, width: 120, sortable: true, render: ({ service }) => nameService(service) },
    { field: "address", title: t.address, width: 130, sortable: true },
    { field: "userAgent", title: t.userAgent, width: 150, render: ({ userAgent }) => nameBrowser(userAgent) },
    { field: "createTime", title: t.since, width: 165, sortable: true },
    { field: "lastUseTime", title: t.lastUse, width: 165, sortable: true },
    {
      field: "expireTime",
      title: t.expire,
      width: 165,
      sortable: true,
      hidden: true,
      render: ({ expireTime }) => formatInstant(expireTime),
    },
    actionColumn(
      t.actions,
      100,
      (row) =>
        isOffered(row) && (
          <RowAction needs={platform.deleteSessions} danger label={t.endOf(row.userName)} onClick={() => end([row])}>
            {t.end}
          </RowAction>
        ),
    ),
  ];
  return (
    <ListPage
      title={t.sessions}
      about={t.sessionsAbout}
      name="platform/sessions"
      operation={platform.listSessions}
      filters={filters}
      columns={columns}
      rowName={({ userName }) => userName}
      batch={(rows, unselect) => (
        <IfMay operation={platform.deleteSessions}>
          <Button size="small" danger disabled={!rows.some(isOffered)} onClick={() => end(rows, unselect)}>
            {t.end}
          </Button>
        </IfMay>
      )}
      empty={{ title: t.noSessions }}
    />
  );
}

/** Users end their own session by signing out. */
const isOffered = ({ current, endable }: SignedIn): boolean => endable && !current;

function useEnd(): (rows: readonly SignedIn[], onDone?: () => void) => void {
  const t = useTexts();
  const confirm = useConfirm();
  const change = useChange(platform.deleteSessions, { done: t.ended });
  return (rows, onDone) => {
    const others = rows.filter(isOffered);
    const [first] = others;
    if (!first) return;
    confirm({
      title: others.length === 1 ? t.endTitle(first.userName) : t.endMany(others.length),
      needs: platform.deleteSessions,
      about: t.endAbout,
      verb: t.end,
      work: async () => {
        await change.mutateAsync({ body: others.map(({ id }) => id) });
        onDone?.();
      },
    });
  };
}
