import { useParams } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { formatFen, toFen } from "#shared/money.ts";
import { Loaded } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { StatCard } from "#console/blocks/stat-card.tsx";
import { useRead } from "#console/call/use-call.ts";
import type { Account } from "#console/pages/tuition-payment/account/account-items.ts";
import {
  AccountAdjustments,
  AccountFeedback,
  AccountItems,
  AccountOrders,
} from "#console/pages/tuition-payment/account/account-parts.tsx";
import { useTexts } from "#console/pages/tuition-payment/account/texts.ts";
import { PrintButton } from "#console/printing.tsx";
import "#console/pages/tuition-payment/tuition.css";

export function AccountPage() {
  const { payableId = "" } = useParams();
  const t = useTexts();
  const account = useRead(tuitionPayment.readAccount, { params: { payableId: Number(payableId) } });
  const student = account.data?.payables.at(-1);
  const about = student && [student.studentNo ?? t.noNumber, student.collegeName, student.majorName, student.className];
  return (
    <>
      <PageHead
        title={student ? `${t.account} · ${student.studentName}` : t.account}
        about={about && t.about(about.filter(Boolean))}
      >
        <PrintButton />
      </PageHead>
      <Loaded read={account}>
        {(data) => (
          <>
            <Sums account={data} />
            <AccountItems payables={data.payables} />
            <AccountAdjustments payables={data.payables} />
            <AccountOrders orders={data.orders} />
            <AccountFeedback feedback={data.feedback} />
          </>
        )}
      </Loaded>
    </>
  );
}

function Sums({ account }: { readonly account: Account }) {
  const { sums } = useTexts();
  const { chargedAmount, adjustedAmount, paidAmount, refundedAmount, dueAmount } = account;
  const show = (yuan: number) => formatFen(toFen(yuan));
  return (
    <div className="q-stats q-account-sums">
      <StatCard label={sums.charged} value={show(chargedAmount)} />
      <StatCard label={sums.adjusted} value={show(adjustedAmount)} />
      <StatCard label={sums.paid} value={show(paidAmount)} />
      <StatCard label={sums.refunded} value={show(refundedAmount)} />
      <StatCard label={sums.due} value={show(dueAmount)} tone={dueAmount > 0 ? "warning" : "success"} />
    </div>
  );
}
