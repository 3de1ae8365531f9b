import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { type AlertRow, AlertState } from "#console/pages/platform/alerts/alerts-page.tsx";
import { texts } from "#console/pages/platform/alerts/texts.ts";
import { useLanguage, useTexts } from "#shared/language/language.ts";

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
  return <div>{t.toldLine(channel, times)}</div>;
}
