import { IfMay } from "#console/blocks/if-may.tsx";
import { Button } from "antd";
import { useState } from "react";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { useChange } from "#console/call/use-call.ts";
import { ChannelForm, type Channel } from "#console/pages/platform/alerts/channel-form.tsx";
import { ChannelTest } from "#console/pages/platform/alerts/channel-test.tsx";
import { texts } from "#console/pages/platform/alerts/texts.ts";
import { platform } from "#shared/api/platform.ts";
import { useTexts } from "#shared/language/language.ts";

/** Where alerts are told. */
export function ChannelsPage() {
  const t = useTexts(texts);
  const [editing, setEditing] = useState<Channel | "new">();
  const [testing, setTesting] = useState<Channel>();
  const create = (
    <IfMay operation={platform.createAlertChannel}>
      <Button type="primary" onClick={() => setEditing("new")}>
        {t.createChannel}
      </Button>
    </IfMay>
  );
  return (
    <>
      <ListPage
        title={t.channels}
        about={t.channelsAbout}
        name="platform/alert-channels"
        operation={platform.listAlertChannels}
        columns={useColumns({ edit: setEditing, test: setTesting })}
        rowName={({ name }) => name}
        actions={create}
        empty={{ title: t.noChannels, about: t.noChannelsAbout }}
      />
      {editing !== undefined && (
        <ChannelForm channel={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      {testing && <ChannelTest channel={testing} onClose={() => setTesting(undefined)} />}
    </>
  );
}

interface Openers {
  readonly edit: (channel: Channel) => void;
  readonly test: (channel: Channel) => void;
}

function useColumns({ edit, test }: Openers): Column<Channel>[] {
  const t = useTexts(texts);
  const confirm = useConfirm();
  const remove = useChange(platform.deleteAlertChannels, { done: t.removed });
  const ask = ({ id, name }: Channel) =>
    confirm({
      title: t.removeTitle(name),
      needs: platform.deleteAlertChannels,
      about: t.removeAbout,
      work: () => remove.mutateAsync({ body: [id] }),
    });
  return [
    { field: "name", title: t.name, width: 160, sortable: true },
    { field: "kind", title: t.kind, width: 140, sortable: true, render: ({ kind }) => t.kinds[kind] },
    { field: "address", title: t.address, width: 280 },
    {
      field: "conditions",
      title: t.conditionsOf,
      width: 110,
      render: ({ conditions }) => (conditions === null ? t.everything : t.someConditions(conditions.length)),
    },
    {
      field: "enabled",
      title: t.state,
      width: 175,
      wraps: true,
      render: (channel) => <ChannelState channel={channel} />,
    },
    { field: "toldTime", title: t.lastTold, width: 165, sortable: true },
    actionColumn(t.actions, 150, (channel) => (
      <>
        <RowAction needs={platform.testAlertChannel} label={t.testChannel(channel.name)} onClick={() => test(channel)}>
          {t.test}
        </RowAction>
        <RowAction
          needs={platform.updateAlertChannel}
          label={t.editChannel(channel.name)}
          onClick={() => edit(channel)}
        >
          {t.edit}
        </RowAction>
        <RowAction
          needs={platform.deleteAlertChannels}
          danger
          label={t.removeChannel(channel.name)}
          onClick={() => ask(channel)}
        >
          {t.remove}
        </RowAction>
      </>
    )),
  ];
}

function ChannelState({ channel: { enabled, failingTime } }: { readonly channel: Channel }) {
  const t = useTexts(texts);
  if (!enabled) return <Status tone="default">{t.enabledStates.off}</Status>;
  if (failingTime !== null) {
    return (
      <>
        <Status tone="error">{t.failing}</Status>
        <div className="q-soft">{t.failingSince(failingTime)}</div>
      </>
    );
  }
  return <Status tone="success">{t.enabledStates.on}</Status>;
}
