import { Button } from "antd";
import { useState } from "react";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { IfMay } from "#console/blocks/buttons.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { joinWords } from "#console/blocks/format.ts";
import { Timeline, TimelineItem } from "#console/blocks/timeline.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { type Adjustment, tellAmount } from "#console/pages/tuition-payment/adjustments/adjustment.ts";
import { useTexts } from "#console/pages/tuition-payment/adjustments/texts.ts";
import "#console/pages/tuition-payment/adjustments/adjustments.css";

export function Adjustments({ payableId, years }: { readonly payableId: number; readonly years: string }) {
  const t = useTexts();
  const [undoing, undo] = useState<Adjustment>();
  const query = { payableId, curPage: 1, pageSize: 100 };
  const { data, error, refetch } = useRead(tuitionPayment.listAdjustments, { query });
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data || data.list.length === 0) return null;
  return (
    <>
      <Timeline title={t.adjustmentsOf(years)}>
        {data.list.map((one) => (
          <TimelineItem key={one.id} tone={one.undone ? "default" : "success"} about={`${one.time} · ${one.by}`}>
            <Described adjustment={one} />
            {!one.undone && (
              <IfMay operation={tuitionPayment.undoAdjustment}>
                <Button size="small" aria-label={t.undoNamed(t.kinds[one.kind])} onClick={() => undo(one)}>
                  {t.undo}
                </Button>
              </IfMay>
            )}
          </TimelineItem>
        ))}
      </Timeline>
      {undoing && <UndoDrawer adjustment={undoing} onClose={() => undo(undefined)} />}
    </>
  );
}

function Described({ adjustment }: { readonly adjustment: Adjustment }) {
  const t = useTexts();
  const { kind, items, evidence, reason, undone, undoneBy, undoTime, undoReason } = adjustment;
  return (
    <>
      <span className={undone ? "q-adjustment-undone" : ""}>
        {t.kinds[kind]} <strong className="q-figures">{tellAmount(adjustment, t)}</strong>
      </span>
      {items.length > 0 && <div>{joinWords(items.map(({ name }) => name))}</div>}
      <div className="q-value">
        {t.evidence} {evidence || t.noEvidence}
      </div>
      {reason !== "" && <div className="q-value">{reason}</div>}
      {undone && <div className="q-value q-soft">{t.undoneBy(undoneBy ?? "", undoTime ?? "", undoReason ?? "")}</div>}
    </>
  );
}

function UndoDrawer({ adjustment, onClose }: { readonly adjustment: Adjustment; readonly onClose: () => void }) {
  const t = useTexts();
  const { id, kind } = adjustment;
  const undo = useChange(tuitionPayment.undoAdjustment, { done: t.undoDone, quiet: true });
  return (
    <FormDrawer<{ readonly reason: string }>
      title={t.undoTitle(t.kinds[kind], tellAmount(adjustment, t))}
      needs={tuitionPayment.undoAdjustment}
      fields={[{ kind: "multiline", name: "reason", label: t.undoReason, required: true, max: 200 }]}
      onSave={({ reason }) => undo.mutateAsync({ params: { id }, body: { reason } })}
      onClose={onClose}
      saveText={t.undo}
    >
      <p className="q-soft">{t.undoAbout}</p>
    </FormDrawer>
  );
}
