import type { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts, type TuitionTexts } from "./texts.ts";

type Order = DataOf<typeof tuitionPayment.findOwnOrder>;

export function tellStatus(
  {
    status,
    expireTime,
    payTime,
    closeTime,
    refundTime,
  }: Pick<Order, "status" | "expireTime" | "payTime" | "closeTime" | "refundTime">,
  { statusAbout: about }: TuitionTexts,
): string {
  if (status === "created" || status === "paying") return about[status](expireTime);
  if (status === "paid") return about.paid(payTime ?? "");
  if (status === "closed") return about.closed(closeTime ?? "");
  return status === "refunded" ? about.refunded(refundTime ?? "") : about.refunding();
}

const tones: Readonly<Record<Order["status"], "good" | "warn" | undefined>> = {
  created: "warn",
  paying: "warn",
  paid: "good",
  refunding: "warn",
  refunded: undefined,
  closed: undefined,
};

export function OrderStatus({ status }: { readonly status: Order["status"] }) {
  const t = useTexts();
  return (
    <span className="tag" data-tone={tones[status]}>
      {t.statuses[status]}
    </span>
  );
}
