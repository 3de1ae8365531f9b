import { Alert } from "antd";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { useRead } from "#console/call/use-call.ts";
import { useMay } from "#console/session/session.ts";
import { joinWords } from "#console/blocks/format.ts";
import { useOrderTexts as useTexts } from "#console/pages/tuition-payment/texts.ts";
import type { RecordOf } from "#shared/call/operation.ts";

type Tried = RecordOf<typeof tuitionPayment.listConfiguredGateways>;

const steps = ["lastPayment", "lastRefund", "lastStatement"] as const satisfies readonly (keyof Tried)[];

export function GatewayTrials() {
  const t = useTexts();
  const { data = [] } = useRead(
    tuitionPayment.listConfiguredGateways,
    {},
    { enabled: useMay()(tuitionPayment.listConfiguredGateways) },
  );
  const untried = data.filter((one) => one.gateway !== "simulated" && steps.some((step) => one[step] === null));
  if (untried.length === 0) return null;
  return (
    <Alert
      type="warning"
      showIcon
      className="q-reconciled"
      title={t.untried}
      description={
        <>
          <ul className="q-trials">
            {untried.map((one) => (
              <li key={one.gateway}>
                {t.untriedOf(
                  t.gateways[one.gateway],
                  joinWords(steps.filter((step) => one[step] === null).map((step) => t.trials[step])),
                )}
              </li>
            ))}
          </ul>
          <details>
            <summary>{t.howToTry}</summary>
            <ol className="q-trials">
              {t.tryingSteps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
            <p>{t.tryingMore}</p>
          </details>
        </>
      }
    />
  );
}
