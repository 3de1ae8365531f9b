import type { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "./texts.ts";

export type Order = DataOf<typeof tuitionPayment.findOwnOrder>;

const tones: Readonly<Record<Order["status"], "good" | "warn" | undefined>> = {
  created: "warn",
  paying: "warn",
  paid: "good",
  refunding: "warn",
  refunded: undefined,
  closed: undefined,
};

export function OrderStatus({ status }: { readonly status: Order["status"] }) {
  const t = useTexts(texts);
  return (
    <span className="tag" data-tone={tones[status]}>
      {t.statuses[status]}
    </span>
  );
}
