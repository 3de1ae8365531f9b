import { Button, Select } from "antd";
import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Unmatched } from "#console/pages/attendance/records.ts";
import { texts } from "#console/pages/attendance/problems/texts.ts";
import { type RosterEmployee, useMatch } from "#console/pages/attendance/problems/use-match.ts";
import { usePause } from "#console/pages/attendance/problems/use-pause.ts";

interface SettleProps {
  /** yyyy-MM */
  readonly month: string;
  readonly person: Unmatched["people"][number];
}

/** Who somebody of a sheet is: one of those of the same name or number, anybody else, or nobody. */
export function Settle({ month, person }: SettleProps) {
  const t = useTexts(texts);
  const { isBusy, settleAs, settleAsNobody } = useMatch(month, person);
  const describe = useEmployeeWords();
  const { workName, kind, candidates } = person;
  return (
    <div className="q-attendance-settle">
      {kind === "month" && <span className="q-soft">{t.lacksFrom}</span>}
      {candidates.map((employee) => (
        <Button
          key={toKey(employee)}
          size="small"
          disabled={isBusy || employee.userId === ""}
          aria-label={t.choose(workName, describe(employee))}
          onClick={() => settleAs(employee)}
        >
          {describe(employee)}
        </Button>
      ))}
      <EmployeeSearch month={month} label={t.searchNamed(workName)} isBusy={isBusy} onChosen={settleAs} />
      <Button size="small" disabled={isBusy} aria-label={t.nobodyNamed(workName)} onClick={settleAsNobody}>
        {t.nobody}
      </Button>
    </div>
  );
}

const toKey = ({ userId, workNum, workName, groupOfCheck }: RosterEmployee): string =>
  [userId, workNum, workName, groupOfCheck].join("\t");

/** An employee as people tell them apart: name, number, department, attendance group. */
function useEmployeeWords(): (employee: RosterEmployee) => string {
  const t = useTexts(texts);
  return ({ workName, workNum, department, groupOfCheck, userId }) => {
    const parts = [workNum, department, groupOfCheck, userId === "" ? t.noUserId : ""].filter((part) => part !== "");
    return t.employeeIs(workName, parts.join(" · "));
  };
}

interface EmployeeSearchProps {
  readonly month: string;
  readonly label: string;
  readonly isBusy: boolean;
  readonly onChosen: (employee: RosterEmployee) => void;
}

const mostFound = 20;

/** A search among the employees of the month, by what is typed. */
function EmployeeSearch({ month, label, isBusy, onChosen }: EmployeeSearchProps) {
  const t = useTexts(texts);
  const describe = useEmployeeWords();
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const keyword = usePause(typed.trim());
  const { data, isFetching } = useRead(
    attendance.listEmployees,
    { query: { month, keyword, pageSize: mostFound } },
    { enabled: isOpen, keep: true },
  );
  const found = data?.list ?? [];
  return (
    <Select<string>
      size="small"
      className="q-attendance-employee-search"
      popupMatchSelectWidth={false}
      aria-label={label}
      placeholder={t.search}
      value={null}
      disabled={isBusy}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      onOpenChange={setOpen}
      loading={isFetching}
      notFoundContent={isFetching ? t.searching : t.noEmployee}
      options={found.map((employee) => ({
        value: toKey(employee),
        label: describe(employee),
        disabled: employee.userId === "",
      }))}
      onSelect={(value) => {
        const chosen = found.find((employee) => toKey(employee) === value);
        if (chosen) onChosen(chosen);
      }}
    />
  );
}
