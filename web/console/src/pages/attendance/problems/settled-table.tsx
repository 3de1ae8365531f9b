import { attendance } from "#shared/api/attendance.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { RowAction } from "#console/blocks/row-action.tsx";
import { useTexts } from "#shared/language/language.ts";
import type { Month, Unmatched } from "#console/pages/attendance/records.ts";
import { texts as ownTexts } from "#console/pages/attendance/problems/texts.ts";
import { useMatch } from "#console/pages/attendance/problems/use-match.ts";
import { useSheetNames } from "#console/pages/attendance/sheet-names.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import { useMay } from "#console/session/session.ts";

type Settled = Unmatched["settled"][number];

interface SettledTableProps {
  readonly month: Month;
  readonly settled: readonly Settled[];
}

/** People who were settled by hand: as whom, by whom, and the way back. */
export function SettledTable({ month: { month, locked }, settled }: SettledTableProps) {
  const t = { ...useTexts(texts), ...useTexts(ownTexts) };
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
        { title: t.settleTime, field: "settleTime", width: 160 },
        ...(may(attendance.match) && !locked
          ? [actionColumn<Settled>(t.operations, 90, (person) => <Undo month={month} person={person} />)]
          : []),
      ]}
    />
  );
}

function Undo({ month, person }: { readonly month: string; readonly person: Settled }) {
  const t = useTexts(ownTexts);
  const { isBusy, undo } = useMatch(month, person);
  return (
    <RowAction needs={attendance.match} label={t.undoNamed(person.workName)} onClick={() => !isBusy && undo()}>
      {t.undo}
    </RowAction>
  );
}
