import { attendance } from "#shared/api/attendance.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { type Month, type Unmatched, useSheetNames } from "#console/pages/attendance/records.ts";
import { useProblemTexts as useOwnTexts, useTexts } from "#console/pages/attendance/texts.ts";
import { toMatch } from "#console/pages/attendance/problems/by-sheet.tsx";
import { useMay } from "#console/session/session.ts";
import { Button, Select } from "antd";
import { useState } from "react";
import { useChange, useRead } from "#console/call/use-call.ts";
import { usePause } from "#console/call/use-pause.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import type { RecordOf } from "#shared/call/operation.ts";

interface PeopleTableProps {
  readonly month: Month;
  readonly people: Unmatched["people"];
}

export function PeopleTable({ month: { month, locked }, people }: PeopleTableProps) {
  const t = { ...useTexts(), ...useOwnTexts() };
  const may = useMay();
  const nameSheet = useSheetNames();
  const named = people.map((person) => ({
    ...person,
    sheet: nameSheet(person.sheet),
    lackedBy: nameSheet(person.lackedBy),
  }));
  const choices = [...new Set(named.flatMap(({ sheet, lackedBy }) => [sheet, lackedBy]))];
  const isOffered = may(attendance.match) && !locked;
  return (
    <Records
      density="small"
      rowKey={({ sheet, lackedBy, userId, workNum, workName }) => [sheet, lackedBy, userId, workNum, workName].join()}
      rows={named}
      empty={null}
      pageSize={10}
      columns={[
        { title: t.name, field: "workName", width: 110, wraps: true },
        { title: t.workNum, field: "workNum", width: 100, render: ({ workNum }) => workNum || "—" },
        { title: t.userId, field: "userId", width: 130, render: ({ userId }) => userId || "—" },
        { title: t.inSheet, field: "sheet", width: 130, wraps: true, choices },
        { title: t.lackedBy, field: "lackedBy", width: 130, wraps: true, choices },
        { title: t.rows, field: "rows", width: 64, align: "right" },
        ...(isOffered
          ? [
              {
                title: t.isWhom,
                field: "isWhom",
                width: 420,
                wraps: true,
                render: (person: Unmatched["people"][number]) => <Settle month={month} person={person} />,
              },
            ]
          : []),
      ]}
    />
  );
}

function Settle({ month, person }: { readonly month: string; readonly person: Unmatched["people"][number] }) {
  const t = useOwnTexts();
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

export function useEmployeeWords(): (employee: RosterEmployee) => string {
  const t = useOwnTexts();
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

export function EmployeeSearch({ month, label, isBusy, onChosen }: EmployeeSearchProps) {
  const t = useOwnTexts();
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

type Settled = Unmatched["settled"][number];

interface SettledTableProps {
  readonly month: Month;
  readonly settled: readonly Settled[];
}

export function SettledTable({ month: { month, locked }, settled }: SettledTableProps) {
  const t = { ...useTexts(), ...useOwnTexts() };
  const may = useMay();
  const nameSheet = useSheetNames();
  const nameTarget = ({ as: target }: Settled): string => {
    if (target === null) return t.nobody;
    if (target.workName === "") return t.notThere(target.userId);
    return target.groupOfCheck === "" ? target.workName : t.employeeIs(target.workName, target.groupOfCheck);
  };
  return (
    <Records<Settled>
      density="small"
      rowKey={({ kind, userId, workNum, workName }) => [kind, userId, workNum, workName].join()}
      rows={settled}
      empty={null}
      pageSize={20}
      columns={[
        { title: t.name, field: "workName", width: 110 },
        { title: t.workNum, field: "workNum", width: 100, render: ({ workNum }) => workNum || "—" },
        { title: t.userId, field: "userId", width: 150, render: ({ userId }) => userId || "—" },
        { title: t.inSheet, field: "sheet", width: 110, render: ({ sheet }) => nameSheet(sheet) },
        { title: t.settledAs, field: "as", width: 200, render: nameTarget },
        { title: t.settledBy, field: "settledBy", width: 120 },
        { title: t.settleTime, field: "settleTime", width: 160, wraps: true },
        ...(may(attendance.match) && !locked
          ? [actionColumn<Settled>(t.operations, 90, (person) => <Undo month={month} person={person} />)]
          : []),
      ]}
    />
  );
}

function Undo({ month, person }: { readonly month: string; readonly person: Settled }) {
  const t = useOwnTexts();
  const { isBusy, undo } = useMatch(month, person);
  return (
    <RowAction needs={attendance.match} label={t.undoNamed(person.workName)} onClick={() => !isBusy && undo()}>
      {t.undo}
    </RowAction>
  );
}

type Somebody = Pick<Unmatched["people"][number], "workName" | "userId" | "workNum" | "kind">;
type RosterEmployee = RecordOf<typeof attendance.listEmployees>;

function useMatch(month: string, person: Somebody) {
  const { workName } = person;
  const t = useOwnTexts();
  const settle = useChange(attendance.match, { done: t.matched(workName) });
  const undo = useChange(attendance.match, { done: t.undone(workName) });
  return {
    isBusy: settle.isPending || undo.isPending,
    settleAs: ({ userId, groupOfCheck }: RosterEmployee) =>
      settle.mutate({ body: { month, ...toMatch(person, userId, groupOfCheck) } }),
    settleAsNobody: () => settle.mutate({ body: { month, ...toMatch(person, "") } }),
    undo: () => undo.mutate({ body: { month, ...toMatch(person, null) } }),
  };
}
