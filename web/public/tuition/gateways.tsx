import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { canPayInApp } from "./paying.ts";
import { texts } from "./texts.ts";

export type Gateway = RecordOf<typeof tuitionPayment.listGateways>;

/** Whether this browser can pay there: what pays inside the messaging app needs that app. */
export const isUsable = ({ kind }: Gateway): boolean => kind !== "jsapi" || canPayInApp();

export interface GatewayChoiceProps {
  readonly gateways: readonly Gateway[];
  readonly value: Gateway["gateway"] | undefined;
  readonly onChange: (gateway: Gateway["gateway"]) => void;
}

export function GatewayChoice({ gateways, value, onChange }: GatewayChoiceProps) {
  const t = useTexts(texts);
  return (
    <fieldset className="card stack tuition-gateways">
      <legend>{t.gateway}</legend>
      {gateways.map((each) => (
        <label key={each.gateway} className="tuition-item">
          <input
            type="radio"
            name="gateway"
            checked={each.gateway === value}
            disabled={!isUsable(each)}
            onChange={() => onChange(each.gateway)}
          />
          <span className="tuition-name">{each.name}</span>
          {!isUsable(each) && <span className="tag">{t.wechatOnly}</span>}
        </label>
      ))}
    </fieldset>
  );
}
