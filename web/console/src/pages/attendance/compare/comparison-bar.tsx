import { asFile } from "#console/session/session.ts";
import { IfMay } from "#console/blocks/if-may.tsx";
import { DownloadOutlined } from "@ant-design/icons";
import { Button, Select, Switch } from "antd";
import { attendance } from "#shared/api/attendance.ts";
import { formatCount } from "#console/blocks/format.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts as ownTexts } from "#console/pages/attendance/compare/texts.ts";
import { type Compared, fromOther, type useCompared } from "#console/pages/attendance/compare/use-compared.ts";
import { useDepartments } from "#console/pages/attendance/compare/use-departments.ts";
import type { Month } from "#console/pages/attendance/records.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import { useDownload } from "#console/pages/attendance/use-workbook.ts";

interface ComparisonBarProps {
  readonly compared: Compared;
  readonly analysed: readonly Month[];
  readonly choices: Pick<ReturnType<typeof useCompared>, "versions" | "change" | "chooseMonth" | "chooseOther">;
}

const all = "";

/** What is compared with what, of whom, and its export. */
export function ComparisonBar({ compared, analysed, choices }: ComparisonBarProps) {
  const t = { ...useTexts(texts), ...useTexts(ownTexts) };
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

/** Another month, or a version of the month. */
function OtherChoice({ compared: { month, other }, analysed, choices: { versions, chooseOther } }: ComparisonBarProps) {
  const t = { ...useTexts(texts), ...useTexts(ownTexts) };
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
