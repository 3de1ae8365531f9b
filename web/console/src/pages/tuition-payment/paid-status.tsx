import { tuitionPayment } from "#console/api/tuition-payment.ts";
import { Status } from "#console/blocks/status.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/tuition-payment/texts.ts";

/** Whether a payable is paid, in a word. */
export function Paid({ pay }: { readonly pay: boolean }) {
  const t = useTexts(texts);
  return <Status tone={pay ? "success" : "warning"}>{pay ? t.paid : t.unpaid}</Status>;
}

/** The same for a row of the list, which by its contract does not tell; each row on the page asks for itself. */
export function PaidOf({ id }: { readonly id: number }) {
  const { data } = useRead(tuitionPayment.findPayable, { params: { id } }, { keep: true });
  return data ? <Paid pay={data.pay} /> : <span aria-hidden>…</span>;
}
