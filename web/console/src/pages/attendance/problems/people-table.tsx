import { attendance } from "#shared/api/attendance.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { useTexts } from "#shared/language/language.ts";
import type { Month, Unmatched } from "#console/pages/attendance/records.ts";
import { Settle } from "#console/pages/attendance/problems/settle.tsx";
import { useSheetNames } from "#console/pages/attendance/sheet-names.ts";
import { texts as ownTexts } from "#console/pages/attendance/problems/texts.ts";
import { texts } from "#console/pages/attendance/texts.ts";
import { useMay } from "#console/session/session.ts";

interface PeopleTableProps {
  readonly month: Month;
  readonly people: Unmatched["people"];
}

/** People of one sheet whom another lacks, each to be settled where they stand; not while the month is locked. */
export function PeopleTable({ month: { month, locked }, people }: PeopleTableProps) {
  const t = { ...useTexts(texts), ...useTexts(ownTexts) };
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
