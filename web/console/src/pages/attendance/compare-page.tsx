import { Empty, Select, Skeleton, Switch } from "antd";
import { useSearchParams } from "react-router";
import { attendance } from "#console/api/attendance.ts";
import { formatCount } from "#console/blocks/format.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { ComparisonTable } from "#console/pages/attendance/compare/comparison-table.tsx";
import { listValues } from "#console/pages/attendance/grid/filters.ts";
import { usePeople } from "#console/pages/attendance/grid/use-people.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import "#console/pages/attendance/attendance.css";

/** Two months of a department, person by person; what is compared is in the address. */
export function ComparePage() {
  const t = useTexts(texts);
  const [search, setSearch] = useSearchParams();
  const months = useRead(attendance.listMonths, {});
  const analysed = (months.data ?? []).filter(({ statu }) => statu === 2);
  const [newest, before] = analysed;
  const month = search.get("month") ?? newest?.month;
  const other = search.get("with") ?? before?.month;
  const department = search.get("department") ?? undefined;
  const onlyChanged = search.get("changed") === "1";
  const people = usePeople(month ?? "", analysed.find((each) => each.month === month)?.analyseTime);
  const departments = listValues(people.data ?? [], "department").filter(({ value }) => value !== "");
  const change = (part: Readonly<Record<string, string | undefined>>) =>
    setSearch(
      (last) => {
        const next = new URLSearchParams(last);
        for (const [key, value] of Object.entries(part)) {
          if (value === undefined) next.delete(key);
          else next.set(key, value);
        }
        return next;
      },
      { replace: true },
    );
  const monthOptions = analysed.map((each) => ({ value: each.month, label: each.month }));
  return (
    <>
      <PageHead title={t.compare} about={t.compareAbout} />
      {months.error && <Failure failure={months.error} onRetry={months.refetch} />}
      {months.isPending && (
        <div className="q-card">
          <Skeleton active />
        </div>
      )}
      {months.data && analysed.length < 2 && (
        <div className="q-card">
          <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.compareNeedsTwo} />
        </div>
      )}
      {month !== undefined && other !== undefined && analysed.length > 1 && (
        <>
          <div className="q-card q-attendance-compare" role="search">
            <label htmlFor="compare-month">{t.compareFirst}</label>
            <Select
              id="compare-month"
              value={month}
              options={monthOptions}
              onChange={(value) => change({ month: value })}
            />
            <label htmlFor="compare-with">{t.compareSecond}</label>
            <Select
              id="compare-with"
              value={other}
              options={monthOptions.map((option) => ({ ...option, disabled: option.value === month }))}
              onChange={(value) => change({ with: value })}
            />
            <label htmlFor="compare-department">{t.department}</label>
            <Select<string>
              id="compare-department"
              showSearch={{ optionFilterProp: "label" }}
              className="q-attendance-department-filter"
              popupMatchSelectWidth={false}
              loading={people.isPending}
              placeholder={t.choose}
              value={department ?? null}
              options={departments.map(({ value, count }) => ({ value, label: t.counted(value, formatCount(count)) }))}
              onChange={(value) => change({ department: value })}
            />
            <Switch
              id="compare-changed"
              size="small"
              checked={onlyChanged}
              onChange={(checked) => change({ changed: checked ? "1" : undefined })}
            />
            <label htmlFor="compare-changed">{t.onlyChanged}</label>
          </div>
          {people.error && <Failure failure={people.error} onRetry={people.refetch} />}
          {department === undefined ? (
            <div className="q-card">
              <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.chooseDepartment} />
            </div>
          ) : (
            <ComparisonTable month={month} other={other} department={department} onlyChanged={onlyChanged} />
          )}
        </>
      )}
    </>
  );
}
