import { Alert, Button, Modal } from "antd";
import { useChange } from "#console/call/use-call.ts";
import type { Channel } from "#console/pages/platform/alerts/channels-page.tsx";
import { texts } from "#console/pages/platform/alerts/texts.ts";
import { platform } from "#shared/api/platform.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";

/** Sends a channel a test, and tells what the other side said. */
export function ChannelTest({ channel, onClose }: { readonly channel: Channel; readonly onClose: () => void }) {
  const t = useTexts(texts);
  const test = useChange(platform.testAlertChannel, { quiet: true });
  return (
    <Modal open title={t.testChannel(channel.name)} onCancel={onClose} footer={null}>
      <p>{t.testAbout}</p>
      <p className="q-value">
        <code>{channel.address}</code>
      </p>
      <div role="status">
        {test.data && <TestOutcome result={test.data} />}
        {test.error && <Alert type="error" showIcon title={test.error.message} />}
      </div>
      <div className="q-wizard-foot">
        <Button type="primary" loading={test.isPending} onClick={() => test.mutate({ body: { id: channel.id } })}>
          {test.data || test.error ? t.sendAgain : t.send}
        </Button>
      </div>
    </Modal>
  );
}

function TestOutcome({ result }: { readonly result: DataOf<typeof platform.testAlertChannel> }) {
  const t = useTexts(texts);
  const { delivered, durationMs, error, said } = result;
  const words = said === "" ? t.saidNothing : said;
  return (
    <Alert
      type={delivered ? "success" : "error"}
      showIcon
      title={delivered ? t.delivered(durationMs) : t.undelivered(error ?? "")}
      {...(words !== null && { description: <span className="q-value">{words}</span> })}
    />
  );
}
