import { Alert } from "antd";
import { describeFault } from "#console/blocks/sending-fault.ts";
import { Trial } from "#console/blocks/trial.tsx";
import { texts } from "#console/pages/platform/alerts/texts.ts";
import { platform } from "#shared/api/platform.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";

type Result = DataOf<typeof platform.testAlertChannels>[number];

/** Sends every channel a test, and tells what the other sides said. */
export function ChannelsTest({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts(texts);
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
  const t = useTexts(texts);
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
