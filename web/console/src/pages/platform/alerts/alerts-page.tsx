import { Alert, Button } from "antd";
import { useState } from "react";
import type { Field } from "#console/blocks/fields.tsx";
import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { joinWords } from "#console/blocks/format.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useAlertTexts as useTexts } from "#console/pages/platform/texts.ts";
import { platform } from "#shared/api/platform.ts";
import { useLanguage } from "#shared/language/language.ts";
import { Status } from "#console/blocks/status.tsx";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { describeFault } from "#console/blocks/sending-fault.ts";
import { Trial } from "#console/blocks/trial.tsx";
import { allSections } from "#console/sections.ts";
import { useSession } from "#console/session/session.ts";

const everyMs = 15_000;

export function AlertsPage() {
  const t = useTexts();
  const [language] = useLanguage();
  const conditions = useRead(platform.listAlertConditions, {});
  // Alert channels belong to the whole platform, so only operators of all services may test the channels.
  const runsAll = useSession()?.services.length === allSections.length - 1;
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
          runsAll && (
            <IfMay operation={platform.testAlertChannels}>
              <Button onClick={() => setTesting(true)}>{t.testChannels}</Button>
            </IfMay>
          )
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
  const t = useTexts();
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

type AlertRow = RecordOf<typeof platform.listAlerts>;

function AlertDrawer({ alert, onClose }: { readonly alert: AlertRow; readonly onClose: () => void }) {
  const t = useTexts();
  const [language] = useLanguage();
  const { mute, told } = alert;
  return (
    <DetailDrawer
      title={t.alert}
      onClose={onClose}
      details={[
        { label: t.condition, value: alert.title[language] },
        { label: t.state, value: <AlertState alert={alert} /> },
        { label: t.says, value: alert.says[language], wide: true },
        { label: t.remedy, value: alert.remedy[language], wide: true },
        { label: t.since, value: alert.sinceTime },
        { label: t.openTime, value: alert.openTime },
        { label: t.overTime, value: alert.overTime },
        { label: t.mute, value: mute && t.mutedBy(mute.userName, mute.untilTime, mute.reason), wide: true },
        {
          label: t.told,
          value: told.length === 0 ? t.nobody : told.map((one) => <TellingLine key={one.channel} telling={one} />),
          wide: true,
        },
      ]}
    />
  );
}

function TellingLine({ telling }: { readonly telling: AlertRow["told"][number] }) {
  const t = useTexts();
  const { channel, openTime, overTime } = telling;
  const times = [...(openTime ? [t.toldOpen(openTime)] : []), ...(overTime ? [t.toldOver(overTime)] : [])];
  return <div>{t.toldLine(t.channels[channel], times)}</div>;
}

function AlertState({ alert: { overTime, mute } }: { readonly alert: AlertRow }) {
  const t = useTexts();
  if (overTime !== null) return <Status tone="success">{t.states.over}</Status>;
  return mute ? <Status tone="default">{t.muted}</Status> : <Status tone="error">{t.states.open}</Status>;
}

interface Given {
  readonly until: "hour" | "day" | "over";
  readonly reason: string;
}

function MuteForm({ alert, onClose }: { readonly alert: AlertRow; readonly onClose: () => void }) {
  const t = useTexts();
  const [language] = useLanguage();
  const mute = useChange(platform.muteAlert, { done: t.mutedDone, quiet: true });
  return (
    <FormDrawer<Given>
      title={t.mute}
      needs={platform.muteAlert}
      fields={[
        {
          kind: "choices",
          name: "until",
          label: t.muteUntil,
          required: true,
          options: (["hour", "day", "over"] as const).map((value) => ({ value, label: t.untils[value] })),
        },
        { kind: "text", name: "reason", label: t.reason, required: true, max: 255 },
      ]}
      initial={{ until: "hour" }}
      saveText={t.mute}
      onSave={(given) => mute.mutateAsync({ body: { id: alert.id, ...given } })}
      onClose={onClose}
    >
      <p>{alert.says[language]}</p>
      <p className="q-soft">{t.muteAbout}</p>
    </FormDrawer>
  );
}

type Result = DataOf<typeof platform.testAlertChannels>[number];

function ChannelsTest({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts();
  return (
    <Trial
      title={t.testChannels}
      about={t.testAbout}
      operation={platform.testAlertChannels}
      given={{}}
      describe={(results) =>
        results.length === 0 ? (
          <Alert type="warning" showIcon title={t.noChannels} />
        ) : (
          results.map((result) => <TestOutcome key={result.channel} result={result} />)
        )
      }
      onClose={onClose}
    />
  );
}

function TestOutcome({ result }: { readonly result: Result }) {
  const t = useTexts();
  const { delivered, durationMs, error, said } = result;
  const channel = t.channels[result.channel];
  const words = said === "" ? t.saidNothing : said;
  return (
    <Alert
      type={delivered ? "success" : "error"}
      showIcon
      title={
        delivered ? t.delivered(channel, durationMs) : t.undelivered(channel, describeFault(error ?? "", t.faults))
      }
      {...(words !== null && { description: <span className="q-value">{words}</span> })}
    />
  );
}
