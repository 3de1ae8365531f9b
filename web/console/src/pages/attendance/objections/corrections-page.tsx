import { useState } from "react";
import { attendance } from "#shared/api/attendance.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { RowAction } from "#console/blocks/buttons.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/attendance/objections/texts.ts";
import "#console/pages/attendance/attendance.css";

type Correction = RecordOf<typeof attendance.listCorrections>;

export function CorrectionsPage() {
  const t = useTexts();
  const [undoing, setUndoing] = useState<Correction>();
  const change = useChange(attendance.undoCorrection, { done: t.undoneDone, quiet: true });
  const kinds = { ...t.verdicts, none: t.none2 };
  return (
    <>
      <ListPage
        title={t.corrections}
        about={t.correctionsAbout}
        name="attendance/corrections"
        operation={attendance.listCorrections}
        filters={[
          { kind: "month", name: "month", label: t.month },
          { kind: "text", name: "department", label: t.department },
        ]}
        columns={[
          { title: t.name, field: "workName", width: 110 },
          { title: t.department, field: "department", width: 140 },
          { title: t.month, field: "month", width: 90 },
          { title: t.date, field: "day", width: 60 },
          { title: t.as, field: "correction", width: 90, render: ({ correction }) => kinds[correction.kind] },
          { title: t.evidence, field: "evidence", width: 220, wraps: true },
          { title: t.madeBy, field: "madeBy", width: 110 },
          {
            title: t.state,
            field: "reason",
            width: 140,
            wraps: true,
            render: ({ reason }) => (reason === null ? t.stands : t.undone(reason)),
          },
          {
            title: t.undo,
            field: "id",
            width: 80,
            render: (row) =>
              row.reason === null && (
                <RowAction
                  danger
                  label={t.undoNamed(row.workName)}
                  needs={attendance.undoCorrection}
                  onClick={() => setUndoing(row)}
                >
                  {t.undo}
                </RowAction>
              ),
          },
        ]}
        rowName={({ workName }) => workName}
        empty={{ title: t.noCorrections }}
      />
      {undoing && (
        <FormDrawer<{ reason: string }>
          title={t.undoNamed(undoing.workName)}
          needs={attendance.undoCorrection}
          saveText={t.undo}
          fields={[{ kind: "multiline", name: "reason", label: t.reason, required: true, max: 255 }]}
          onSave={({ reason }) => change.mutateAsync({ body: { id: undoing.id, reason } })}
          onClose={() => setUndoing(undefined)}
        />
      )}
    </>
  );
}
