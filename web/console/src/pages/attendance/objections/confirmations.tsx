import { Select } from "antd";
import { useSearchParams } from "react-router";
import { attendance } from "#shared/api/attendance.ts";
import { formatCount } from "#console/blocks/format.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/attendance/objections/texts.ts";

export function Confirmations() {
  const t = useTexts();
  const { data: months } = useRead(attendance.listMonths, {});
  const [search, setSearch] = useSearchParams();
  const analysed = (months ?? []).filter(({ statu }) => statu === 2).map(({ month: name }) => name);
  const month = analysed.find((name) => name === search.get("month")) ?? analysed[0];
  const given = { query: { month: month ?? "" } };
  const { data } = useRead(attendance.listConfirmations, given, { enabled: month !== undefined, keep: true });
  const choose = (name: string) =>
    setSearch((before) => {
      before.set("month", name);
      return before;
    });
  if (!data || month === undefined) return null;
  const counts = [data.confirmed, data.of, data.objecting].map(formatCount) as [string, string, string];
  return (
    <section className="q-card" aria-label={t.people}>
      <p>
        <strong>{t.people}</strong>{" "}
        <Select
          aria-label={t.month}
          value={month}
          options={analysed.map((name) => ({ value: name, label: name }))}
          onChange={choose}
        />{" "}
        {t.confirmations(...counts)}
      </p>
      <Records
        density="small"
        rowKey={({ userId, workNum, groupOfCheck }) => `${userId} ${workNum} ${groupOfCheck}`}
        rows={data.people}
        empty={null}
        pageSize={10}
        columns={[
          { title: t.name, field: "workName", width: 120 },
          { title: t.department, field: "department", width: 180 },
          { title: t.state, field: "state", width: 100, render: ({ state }) => t.states[state] },
          { title: t.time, field: "confirmTime", width: 160 },
        ]}
      />
    </section>
  );
}
