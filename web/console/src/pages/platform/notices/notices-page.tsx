import { Alert, Button, Empty, Input, Modal, Select, Switch } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { joinWords } from "#console/blocks/format.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useMay } from "#console/session/session.ts";
import { platform } from "#shared/api/platform.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useLanguage } from "#shared/language/language.ts";
import { useTexts } from "./texts.ts";

type Kind = DataOf<typeof platform.readNoticeSettings>["kinds"][number];

export function NoticesPage() {
  const t = useTexts();
  const [language] = useLanguage();
  const { data, error, refetch } = useRead(platform.readNoticeSettings, {});
  const [shown, setShown] = useState<Kind>();
  return (
    <>
      <PageHead title={t.notices} about={t.noticesAbout} />
      <section className="q-card">
        <div className="q-list-bar">
          <Link to="/platform/notices-sent">{t.seeLog}</Link>
        </div>
        {error ? (
          <Failure failure={error} onRetry={refetch} />
        ) : (
          <Records<Kind>
            rowKey={({ id }) => id}
            loading={data === undefined}
            rows={data?.kinds ?? []}
            empty={<Empty image={Empty.PRESENTED_IMAGE_SIMPLE} />}
            columns={[
              { field: "title", title: t.kind, width: 160, wraps: true, render: ({ title }) => title[language] },
              { field: "isOn", title: t.isOn, width: 90, render: (kind) => <KindSwitch kind={kind} /> },
              { field: "to", title: t.to, width: 200, wraps: true, render: ({ to }) => to[language] },
              { field: "when", title: t.when, width: 220, wraps: true, render: ({ when }) => when[language] },
              {
                field: "channels",
                title: t.by,
                width: 150,
                wraps: true,
                render: ({ channels }) => joinWords(channels.map((channel) => t.channels[channel])) || t.none,
              },
              actionColumn(t.actions, 130, (kind) => (
                <RowAction needs="nothing" label={t.previewOf(kind.title[language])} onClick={() => setShown(kind)}>
                  {t.preview}
                </RowAction>
              )),
            ]}
          />
        )}
      </section>
      {shown && <Preview kind={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}

/** The switch shows the server's state and changes only after the server has confirmed. */
function KindSwitch({ kind: { id, title, isOn } }: { readonly kind: Kind }) {
  const t = useTexts();
  const [language] = useLanguage();
  const may = useMay();
  const { mutate, isPending } = useChange(platform.changeNoticeSettings, { done: t.changed });
  return (
    <Switch
      checked={isOn}
      loading={isPending}
      disabled={!may(platform.changeNoticeSettings)}
      aria-label={t.switchKind(title[language])}
      onChange={(on) => mutate({ body: { kinds: [{ id, isOn: on }] } })}
    />
  );
}

function Preview({ kind, onClose }: { readonly kind: Kind; readonly onClose: () => void }) {
  const t = useTexts();
  const [language] = useLanguage();
  const { data, error, refetch } = useRead(platform.previewNotice, { query: { kind: kind.id } });
  return (
    <Modal open title={t.previewOf(kind.title[language])} onCancel={onClose} footer={null}>
      {error && <Failure failure={error} onRetry={refetch} />}
      {(["zh", "en"] as const).map((each) => (
        <section key={each} lang={each} className="q-value">
          <p>
            <strong>{data?.subject[each]}</strong>
          </p>
          <p>{data?.text[each]}</p>
        </section>
      ))}
      {data?.isReal === false && <p className="q-soft">{t.notReal}</p>}
      {kind.channels.length === 0 ? (
        <Alert type="info" showIcon title={t.none} />
      ) : (
        <IfMay operation={platform.tryNotice}>
          <TrialForm kind={kind} />
        </IfMay>
      )}
    </Modal>
  );
}

function TrialForm({ kind: { id, channels } }: { readonly kind: Kind }) {
  const t = useTexts();
  const [channel, setChannel] = useState(channels[0] ?? "mail");
  const [to, setTo] = useState("");
  const { mutate, data, error, isPending } = useChange(platform.tryNotice, { quiet: true });
  return (
    <>
      <p className="q-soft">{t.tryAbout}</p>
      <div className="q-list-bar">
        <Select
          aria-label={t.channel}
          value={channel}
          onChange={setChannel}
          options={channels.map((value) => ({ value, label: t.channels[value] }))}
        />
        <Input
          aria-label={t.addresses[channel]}
          placeholder={t.addresses[channel]}
          maxLength={254}
          value={to}
          onChange={({ target }) => setTo(target.value)}
        />
        <Button
          type="primary"
          loading={isPending}
          disabled={to.trim() === ""}
          onClick={() => mutate({ body: { kind: id, channel, to: to.trim() } })}
        >
          {t.send}
        </Button>
      </div>
      <div role="status">
        {data && (
          <Alert
            type={data.outcome === "sent" ? "success" : "error"}
            showIcon
            title={t.states[data.outcome]}
            {...(data.error !== null && { description: <span className="q-value">{data.error}</span> })}
          />
        )}
        {error && <Alert type="error" showIcon title={error.message} />}
      </div>
    </>
  );
}
