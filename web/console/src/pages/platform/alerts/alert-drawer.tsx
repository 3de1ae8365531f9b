import { platform } from "#shared/api/platform.ts";
import { Status } from "#console/blocks/status.tsx";
import type { RecordOf } from "#shared/call/operation.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { texts } from "#console/pages/platform/alerts/texts.ts";
import { useLanguage, useTexts } from "#shared/language/language.ts";

export type AlertRow = RecordOf<typeof platform.listAlerts>;

/** An alert: what to do about it, and who was told when. */
export function AlertDrawer({ alert, onClose }: { readonly alert: AlertRow; readonly onClose: () => void }) {
  const t = useTexts(texts);
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
  const t = useTexts(texts);
  const { channel, openTime, overTime } = telling;
  const times = [...(openTime ? [t.toldOpen(openTime)] : []), ...(overTime ? [t.toldOver(overTime)] : [])];
  return <div>{t.toldLine(t.channels[channel], times)}</div>;
}

export function AlertState({ alert: { overTime, mute } }: { readonly alert: AlertRow }) {
  const t = useTexts(texts);
  if (overTime !== null) return <Status tone="success">{t.states.over}</Status>;
  return mute ? <Status tone="default">{t.muted}</Status> : <Status tone="error">{t.states.open}</Status>;
}
