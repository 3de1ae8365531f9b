import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useRead } from "#console/call/use-call.ts";
import { platform } from "#shared/api/platform.ts";
import { useLanguage } from "#shared/language/language.ts";
import { useTexts } from "./texts.ts";

const everyMs = 15_000;
const states = ["waiting", "sending", "sent", "refused", "unreachable", "unknown", "expired"] as const;
const tones = {
  waiting: "default",
  sending: "default",
  sent: "success",
  refused: "error",
  unreachable: "warning",
  unknown: "warning",
  expired: "warning",
} as const;

export function SentNoticesPage() {
  const t = useTexts();
  const [language] = useLanguage();
  const { data } = useRead(platform.readNoticeSettings, {});
  return (
    <ListPage
      title={t.log}
      about={t.logAbout}
      name="platform/notices-sent"
      operation={platform.listNotices}
      filters={[
        {
          kind: "select",
          name: "kind",
          label: t.kind,
          options: (data?.kinds ?? []).map(({ id, title }) => ({ value: id, label: title[language] })),
        },
        {
          kind: "select",
          name: "state",
          label: t.state,
          options: states.map((value) => ({ value, label: t.states[value] })),
        },
      ]}
      columns={[
        { field: "title", title: t.kind, width: 160, wraps: true, render: ({ title }) => title[language] },
        { field: "whom", title: t.whom, width: 180, wraps: true },
        {
          field: "channel",
          title: t.channel,
          width: 100,
          render: ({ channel }) => (channel === null ? "" : t.channels[channel]),
        },
        {
          field: "state",
          title: t.state,
          width: 120,
          render: ({ state }) => <Status tone={tones[state]}>{t.states[state]}</Status>,
        },
        { field: "createTime", title: t.createTime, width: 165 },
        { field: "stateTime", title: t.stateTime, width: 165 },
        { field: "error", title: t.error, width: 220, wraps: true },
      ]}
      rowName={({ title, whom }) => `${title[language]} ${whom}`}
      empty={{ title: t.noNotices, about: t.noNoticesAbout }}
      everyMs={everyMs}
    />
  );
}
