import { Button } from "antd";
import { useState } from "react";
import type { Field } from "#console/blocks/fields.tsx";
import { IfMay } from "#console/blocks/if-may.tsx";
import { joinWords } from "#console/blocks/format.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { AlertState, AlertDrawer, type AlertRow } from "#console/pages/platform/alerts/alert-drawer.tsx";
import { ChannelsTest } from "#console/pages/platform/alerts/channels-test.tsx";
import { MuteForm } from "#console/pages/platform/alerts/mute-form.tsx";
import { texts } from "#console/pages/platform/alerts/texts.ts";
import { platform } from "#shared/api/platform.ts";
import { useLanguage, useTexts } from "#shared/language/language.ts";

const everyMs = 15_000;

/** What is wrong now, and what was. */
export function AlertsPage() {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const conditions = useRead(platform.listAlertConditions, {});
  const [seen, setSeen] = useState<AlertRow>();
  const [muting, setMuting] = useState<AlertRow>();
  const [testing, setTesting] = useState(false);
  const filters: Field[] = [
    {
      kind: "select",
      name: "state",
      label: t.state,
      options: (["open", "over"] as const).map((value) => ({ value, label: t.states[value] })),
    },
    {
      kind: "select",
      name: "condition",
      label: t.condition,
      options: (conditions.data ?? []).map(({ id, title }) => ({ value: id, label: title[language] })),
    },
  ];
  return (
    <>
      <ListPage
        title={t.alerts}
        about={t.alertsAbout}
        name="platform/alerts"
        operation={platform.listAlerts}
        filters={filters}
        columns={useColumns(setSeen, setMuting)}
        rowName={({ says }) => says[language]}
        actions={
          <IfMay operation={platform.testAlertChannels}>
            <Button onClick={() => setTesting(true)}>{t.testChannels}</Button>
          </IfMay>
        }
        empty={{ title: t.noAlerts, about: t.noAlertsAbout }}
        everyMs={everyMs}
      />
      {seen && <AlertDrawer alert={seen} onClose={() => setSeen(undefined)} />}
      {muting && <MuteForm alert={muting} onClose={() => setMuting(undefined)} />}
      {testing && <ChannelsTest onClose={() => setTesting(false)} />}
    </>
  );
}

function useColumns(see: (alert: AlertRow) => void, mute: (alert: AlertRow) => void): Column<AlertRow>[] {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const unmute = useChange(platform.unmuteAlert, { done: t.unmutedDone });
  return [
    { field: "condition", title: t.condition, width: 150, wraps: true, render: ({ title }) => title[language] },
    { field: "state", title: t.state, width: 110, render: (alert) => <AlertState alert={alert} /> },
    { field: "says", title: t.says, width: 280, wraps: true, render: ({ says }) => says[language] },
    { field: "openTime", title: t.openTime, width: 165, sortable: true },
    { field: "overTime", title: t.overTime, width: 165, sortable: true },
    {
      field: "told",
      title: t.told,
      width: 110,
      render: ({ told }) => joinWords(told.map(({ channel }) => t.channels[channel])) || t.nobody,
    },
    actionColumn(t.actions, 130, (alert) => (
      <>
        <RowAction needs="nothing" label={t.seeAlert(alert.says[language])} onClick={() => see(alert)}>
          {t.see}
        </RowAction>
        {alert.overTime === null &&
          (alert.mute ? (
            <RowAction
              needs={platform.unmuteAlert}
              label={`${t.unmute} ${alert.says[language]}`}
              onClick={() => unmute.mutate({ body: { id: alert.id } })}
            >
              {t.unmute}
            </RowAction>
          ) : (
            <RowAction
              needs={platform.muteAlert}
              label={`${t.mute} ${alert.says[language]}`}
              onClick={() => mute(alert)}
            >
              {t.mute}
            </RowAction>
          ))}
      </>
    )),
  ];
}
