import { Button } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { pushRelay } from "#shared/api/push-relay.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useListState, useOpened } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { useRead } from "#console/call/use-call.ts";
import {
  type Delivery,
  DeliveryStatus,
  nameEvent,
  useProjectNames,
  useReplay,
} from "#console/pages/push-relay/delivery.tsx";
import { DeliveryDrawer } from "#console/pages/push-relay/delivery-drawer.tsx";
import { everyMs } from "#console/pages/push-relay/project.tsx";
import { describeFault } from "#console/blocks/sending-fault.ts";
import { ReplayDrawer, type ReplayKind } from "#console/pages/push-relay/replay-drawer.tsx";
import { useTexts } from "#console/pages/push-relay/texts.ts";
import { useMay } from "#console/session/session.ts";

export function DeliveriesPage() {
  const t = useTexts();
  const may = useMay();
  const [opened, open] = useOpened();
  const [{ filters }] = useListState();
  const [replaying, setReplaying] = useState<ReplayKind>();
  const replay = useReplay();
  const mayReplay = may(pushRelay.replayDeliveries);
  const projectId = filters["projectId"] === undefined ? undefined : Number(filters["projectId"]);
  return (
    <>
      <ListPage
        title={t.deliveries}
        name="push-relay/deliveries"
        operation={pushRelay.listDeliveries}
        filters={useFilters()}
        columns={useColumns({ open, ...(mayReplay && { replay: (id: number) => replay([id]) }) })}
        everyMs={everyMs}
        actions={
          mayReplay && (
            <>
              <Button onClick={() => setReplaying("since")}>{t.replaySince}</Button>
              <Button onClick={() => setReplaying("dead")}>{t.replayDead}</Button>
            </>
          )
        }
        {...(mayReplay && {
          batch: (rows: readonly Delivery[], unselect: () => void) => (
            <Button
              size="small"
              onClick={() =>
                replay(
                  rows.map(({ id }) => id),
                  unselect,
                )
              }
            >
              {t.replay}
            </Button>
          ),
        })}
        empty={{
          title: t.noDeliveries,
          about: t.noDeliveriesAbout,
          action: <Link to="/push-relay/projects">{t.projects}</Link>,
        }}
      />
      {opened !== undefined && <DeliveryDrawer id={Number(opened)} onClose={() => open(undefined)} />}
      {replaying && <ReplayDrawer kind={replaying} projectId={projectId} onClose={() => setReplaying(undefined)} />}
    </>
  );
}

function useFilters(): Field[] {
  const t = useTexts();
  const { data: projects = [] } = useRead(pushRelay.listProjects, {});
  return [
    {
      kind: "select",
      name: "projectId",
      label: t.replayProject,
      // The value is text, as in the address, which may be read before the projects load.
      options: projects.map(({ id, project }) => ({ value: String(id), label: project })),
    },
    {
      kind: "select",
      name: "status",
      label: t.deliveryStatus,
      options: (["pending", "delivered", "dead"] as const).map((value) => ({
        value,
        label: t.deliveryStatuses[value],
      })),
    },
    { kind: "text", name: "subject", label: t.subject, placeholder: t.subjectHelp },
    {
      kind: "select",
      name: "event",
      label: t.event,
      options: Object.entries(t.events).map(([value, label]) => ({ value, label })),
    },
  ];
}

interface RowActions {
  readonly open: (id: number) => void;
  readonly replay?: (id: number) => void;
}

function useColumns({ open, replay }: RowActions): Column<Delivery>[] {
  const t = useTexts();
  const nameProject = useProjectNames();
  return [
    { field: "id", title: t.id, width: 64, align: "right" },
    { field: "createTime", title: t.deliveryTime, width: 165 },
    { field: "projectId", title: t.replayProject, width: 140, render: ({ projectId }) => nameProject(projectId) },
    { field: "event", title: t.event, width: 118, render: ({ event }) => nameEvent(event, t) },
    { field: "subject", title: t.subject, width: 100, render: ({ subject }) => subject ?? t.aboutNobody },
    {
      field: "status",
      title: t.deliveryStatus,
      width: 96,
      render: (delivery) => <DeliveryStatus {...delivery} />,
    },
    { field: "attempts", title: t.attempts, width: 80, align: "right" },
    {
      field: "lastError",
      title: t.lastError,
      width: 170,
      render: ({ lastError }) => (lastError === null ? "" : describeFault(lastError, t.errors)),
    },
    { field: "lastStatusCode", title: t.statusCode, width: 110, align: "right", hidden: true },
    { field: "nextAttemptTime", title: t.nextAttempt, width: 165, hidden: true },
    { field: "deliveredTime", title: t.deliveredTime, width: 165, hidden: true },
    actionColumn(t.actions, 112, ({ id }) => (
      <>
        <RowAction needs="nothing" label={t.openDelivery(id)} onClick={() => open(id)}>
          {t.open}
        </RowAction>
        {replay && (
          <RowAction needs={pushRelay.replayDeliveries} label={t.replayNamed(id)} onClick={() => replay(id)}>
            {t.replay}
          </RowAction>
        )}
      </>
    )),
  ];
}
