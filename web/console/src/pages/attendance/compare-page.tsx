import { Button, Empty, Result, Select, Skeleton, Switch } from "antd";
import { attendance } from "#shared/api/attendance.ts";
import { Loaded } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useRead } from "#console/call/use-call.ts";
import { ComparisonTable } from "#console/pages/attendance/compare/comparison-table.tsx";
import { useCompareTexts as useOwnTexts, useTexts } from "#console/pages/attendance/texts.ts";
import { type Compared, fromOther, useCompared } from "#console/pages/attendance/compare/use-compared.ts";
import { hasPunches, type Month } from "#console/pages/attendance/records.ts";
import { asFile } from "#console/session/session.ts";
import { IfMay } from "#console/blocks/buttons.tsx";
import { DownloadOutlined } from "@ant-design/icons";
import { compareNames, formatCount } from "#console/blocks/format.ts";
import { useDownload } from "#console/pages/attendance/use-month.ts";
import { useQuery } from "@tanstack/react-query";
import { callWith } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import "#console/pages/attendance/attendance.css";

export function ComparePage() {
  const t = { ...useTexts(), ...useOwnTexts() };
  const months = useRead(attendance.listMonths, {});
  return (
    <>
      <PageHead title={t.compare} about={t.about} />
      <Loaded read={months}>{(data) => <Comparing analysed={data.filter(({ statu }) => statu === 2)} />}</Loaded>
    </>
  );
}

function Comparing({ analysed }: { readonly analysed: readonly Month[] }) {
  const t = useOwnTexts();
  const { month, other, versions, department, onlyChanged, ...rest } = useCompared(analysed);
  if (month !== undefined && !analysed.some((each) => each.month === month))
    return <Result title={t.notFinished(month)} />;
  if (month === undefined || (other === undefined && versions?.length === 0))
    return (
      <div className="q-card">
        <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t.needsAnother} />
      </div>
    );
  if (other === undefined)
    return (
      <div className="q-card">
        <Skeleton active />
      </div>
    );
  const compared = { month, other, department, onlyChanged };
  const version = "version" in other ? versions?.find(({ id }) => id === other.version) : undefined;
  const find = (name: string) => analysed.find((each) => each.month === name);
  const [own, beside] = [find(month), "with" in other ? find(other.with) : version];
  const punched = { month: !own || hasPunches(own), with: !beside || hasPunches(beside) };
  const otherName = "with" in other ? other.with : version ? t.versionShort(version.number) : "";
  return (
    <>
      <ComparisonBar compared={compared} analysed={analysed} choices={{ versions, ...rest }} />
      <ComparisonTable compared={compared} otherName={otherName} punched={punched} />
    </>
  );
}

interface ComparisonBarProps {
  readonly compared: Compared;
  readonly analysed: readonly Month[];
  readonly choices: Pick<ReturnType<typeof useCompared>, "versions" | "change" | "chooseMonth" | "chooseOther">;
}

const all = "";

function ComparisonBar({ compared, analysed, choices }: ComparisonBarProps) {
  const t = { ...useTexts(), ...useOwnTexts() };
  const { month, other, department, onlyChanged } = compared;
  const { change, chooseMonth } = choices;
  const departments = useDepartments(month);
  const [fetchFile, isFetching] = useDownload();
  const options = (departments.data ?? []).map(({ department: value, count }) => ({
    value,
    label: t.counted(value, formatCount(count)),
  }));
  const exportIt = () =>
    fetchFile(attendance.compare, {
      query: {
        month,
        ...other,
        format: "xlsx",
        ...(department !== undefined && { department }),
        ...(onlyChanged && { changed: true }),
      },
    });
  return (
    <div className="q-card q-attendance-compare" role="search">
      <label htmlFor="compare-month">{t.compareFirst}</label>
      <Select
        id="compare-month"
        value={month}
        options={analysed.map((each) => ({ value: each.month, label: each.month }))}
        onChange={chooseMonth}
      />
      <OtherChoice compared={compared} analysed={analysed} choices={choices} />
      <label htmlFor="compare-department">{t.department}</label>
      <Select<string>
        id="compare-department"
        showSearch={{ optionFilterProp: "label" }}
        className="q-attendance-department-filter"
        popupMatchSelectWidth={false}
        loading={departments.isPending}
        value={department ?? all}
        options={[{ value: all, label: t.allDepartments }, ...options]}
        onChange={(value) => change({ department: value === all ? undefined : value })}
      />
      <Switch
        id="compare-changed"
        size="small"
        checked={onlyChanged}
        onChange={(checked) => change({ changed: checked ? "1" : undefined })}
      />
      <label htmlFor="compare-changed">{t.onlyChanged}</label>
      <IfMay operation={asFile(attendance.compare)}>
        <Button
          icon={<DownloadOutlined aria-hidden />}
          className="q-attendance-compare-export"
          loading={isFetching}
          onClick={exportIt}
        >
          {t.download}
        </Button>
      </IfMay>
    </div>
  );
}

function OtherChoice({ compared: { month, other }, analysed, choices: { versions, chooseOther } }: ComparisonBarProps) {
  const t = { ...useTexts(), ...useOwnTexts() };
  const months = analysed.filter((each) => each.month !== month);
  const groups = [
    {
      label: t.versions,
      options: (versions ?? []).map(({ id, number, lockTime, note }) => ({
        value: `v${id}`,
        label: t.version(number, lockTime.slice(0, 16), note),
      })),
    },
    { label: t.months, options: months.map((each) => ({ value: each.month, label: each.month })) },
  ];
  return (
    <>
      <label htmlFor="compare-with">{t.compareSecond}</label>
      <Select<string>
        id="compare-with"
        className="q-attendance-beside"
        popupMatchSelectWidth={false}
        value={fromOther(other)}
        options={groups.filter(({ options }) => options.length > 0)}
        onChange={chooseOther}
      />
    </>
  );
}

const mostAtOnce = 1000;

const useDepartments = (month: string) =>
  useQuery<{ department: string; count: number }[], CallFailure>({
    queryKey: ["attendance", "listEmployees", "departments", month],
    queryFn: async ({ signal }) => {
      const counts = new Map<string, number>();
      for (let curPage = 1; ; curPage++) {
        const query = { month, curPage, pageSize: mostAtOnce };
        const { list } = await callWith(attendance.listEmployees, { query }, { signal });
        for (const { department } of list) counts.set(department, (counts.get(department) ?? 0) + 1);
        if (list.length < mostAtOnce) break;
      }
      return [...counts]
        .filter(([department]) => department !== "")
        .map(([department, count]) => ({ department, count }))
        .toSorted((left, right) => compareNames(left.department, right.department));
    },
  });
