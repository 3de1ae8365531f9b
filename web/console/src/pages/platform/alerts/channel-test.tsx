import { Alert } from "antd";
import { describeFault } from "#console/blocks/sending-fault.ts";
import { Trial } from "#console/blocks/trial.tsx";
import type { Channel } from "#console/pages/platform/alerts/channel-form.tsx";
import { texts } from "#console/pages/platform/alerts/texts.ts";
import { platform } from "#shared/api/platform.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";

/** Sends a channel a test, and tells what the other side said. */
export function ChannelTest({ channel, onClose }: { readonly channel: Channel; readonly onClose: () => void }) {
  const t = useTexts(texts);
  return (
    <Trial
      title={t.testChannel(channel.name)}
      about={t.testAbout}
      address={channel.address}
      operation={platform.testAlertChannel}
      given={{ body: { id: channel.id } }}
      describe={(result) => <TestOutcome result={result} />}
      onClose={onClose}
    />
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
      title={delivered ? t.delivered(durationMs) : t.undelivered(describeFault(error ?? "", t.faults))}
      {...(words !== null && { description: <span className="q-value">{words}</span> })}
    />
  );
}
