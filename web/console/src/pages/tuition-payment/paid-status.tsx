import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { Status } from "#console/blocks/status.tsx";
import { call } from "#console/call/call.ts";
import { gather } from "#console/call/gather.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/pages/tuition-payment/texts.ts";

/** Whether a payable is paid, in a word. */
export function Paid({ pay }: { readonly pay: boolean }) {
  const t = useTexts(texts);
  return <Status tone={pay ? "success" : "warning"}>{pay ? t.paid : t.unpaid}</Status>;
}

const { service, name } = tuitionPayment.listPaidPayables;

const askPaid = gather(async (ids) => {
  const paid = new Set(await call(tuitionPayment.listPaidPayables, { query: { ids: [...ids] } }));
  return new Map(ids.map((id) => [id, paid.has(id)]));
});

/** Whether a row of the list is paid, which by its contract it does not tell; a page asks once for all of its rows. */
export function usePaid(id: number, known: boolean | undefined): boolean | undefined {
  const { data } = useQuery({
    queryKey: [service, name, id],
    queryFn: async () => (await askPaid(id)) ?? false,
    enabled: known === undefined,
    placeholderData: keepPreviousData,
  });
  return known ?? data;
}

interface PaidOfProps {
  readonly id: number;
  /** Whether it is paid, where the search tells. */
  readonly known: boolean | undefined;
}

/** The same as Paid for a row of the list. */
export function PaidOf({ id, known }: PaidOfProps) {
  const pay = usePaid(id, known);
  return pay === undefined ? <span aria-hidden>…</span> : <Paid pay={pay} />;
}
