import { Select, Skeleton } from "antd";
import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { AddressTable } from "#console/pages/attendance/problems/address-table.tsx";
import { texts } from "#console/pages/attendance/problems/texts.ts";

interface KeywordsFromMonthProps {
  /** Whether the form beside it has changes, which would be lost when a keyword is taken. */
  readonly isUnsaved: boolean;
}

/** The addresses of a month that belong to no campus, to take keywords from. */
export function KeywordsFromMonth({ isUnsaved }: KeywordsFromMonthProps) {
  const t = useTexts(texts);
  const months = useRead(attendance.listMonths, {});
  const withPunches = (months.data ?? []).filter(({ punches }) => punches > 0);
  const [chosen, choose] = useState<string>();
  const month = chosen ?? withPunches[0]?.month;
  return (
    <section className="q-card" aria-labelledby="q-attendance-from-month">
      <h2 id="q-attendance-from-month" className="q-attendance-part">
        {t.fromMonth}
      </h2>
      <p className="q-soft">{t.fromMonthAbout}</p>
      {months.data && month === undefined && <p className="q-soft">{t.noMonth}</p>}
      {month !== undefined && (
        <Select<string>
          aria-label={t.month}
          className="q-attendance-from-month"
          value={month}
          options={withPunches.map((each) => ({ value: each.month, label: each.month }))}
          onChange={choose}
        />
      )}
      {isUnsaved ? <p role="status">{t.fromMonthUnsaved}</p> : month !== undefined && <Addresses month={month} />}
    </section>
  );
}

function Addresses({ month }: { readonly month: string }) {
  const t = useTexts(texts);
  const { data, error, refetch } = useRead(attendance.listUnmatched, { query: { month } });
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active />;
  if (data.addresses.length === 0) return <p>{t.noAddresses}</p>;
  return <AddressTable addresses={data.addresses} />;
}
