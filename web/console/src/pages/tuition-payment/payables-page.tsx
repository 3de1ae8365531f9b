import { IfMay, RowAction } from "#console/blocks/buttons.tsx";
import { UploadOutlined } from "@ant-design/icons";
import { Alert, Button, Space } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { useRead } from "#console/call/use-call.ts";
import {
  formatTyped,
  PaidState,
  type Payable,
  readItems,
  usePayableRemoval,
  Yuan,
} from "#console/pages/tuition-payment/payable.tsx";
import { PayableDrawer } from "#console/pages/tuition-payment/payable-drawer.tsx";
import { PayableForm } from "#console/pages/tuition-payment/payable-form.tsx";
import {
  AdjustButton,
  AdjustMany,
  type AdjustManyProps,
} from "#console/pages/tuition-payment/adjustments/adjust-many.tsx";
import { useTexts as useAdjustmentTexts } from "#console/pages/tuition-payment/adjustments/texts.ts";
import { useTexts } from "#console/pages/tuition-payment/texts.ts";
import { formatCount } from "#console/blocks/format.ts";
import { ImportWizard } from "#console/blocks/import/import-wizard.tsx";
import "#console/pages/tuition-payment/tuition.css";

export function PayablesPage() {
  const t = useTexts();
  const [opened, open] = useOpened();
  const [editing, setEditing] = useState<Payable | "new">();
  const [importing, setImporting] = useState(false);
  const [adjusting, adjust] = useState<Pick<AdjustManyProps, "payables" | "onDone">>();
  const { removeAll } = usePayableRemoval();
  const actions = (
    <Space>
      <IfMay operation={tuitionPayment.savePayable}>
        <Button onClick={() => setEditing("new")}>{t.create}</Button>
      </IfMay>
      <IfMay operation={tuitionPayment.importPayables}>
        <Button type="primary" icon={<UploadOutlined aria-hidden />} onClick={() => setImporting(true)}>
          {t.importFile}
        </Button>
      </IfMay>
    </Space>
  );
  return (
    <>
      <ListPage
        title={t.payables}
        name="tuition-payment/payables"
        operation={tuitionPayment.listPayables}
        filters={useFilters()}
        columns={useColumns({ open, edit: setEditing })}
        rowName={({ studentName, years }) => `${studentName} ${years}`}
        exporting={{ operation: tuitionPayment.exportPayables }}
        actions={actions}
        batch={(payables, unselect) => (
          <>
            <AdjustButton payables={payables} onPress={(due) => adjust({ payables: due, onDone: unselect })} />
            <IfMay operation={tuitionPayment.deletePayable}>
              <Button size="small" danger onClick={() => removeAll(payables, unselect)}>
                {t.remove}
              </Button>
            </IfMay>
          </>
        )}
        empty={{ title: t.noPayables, about: t.noPayablesAbout, action: actions }}
      />
      {opened !== undefined && (
        <PayableDrawer key={opened} id={Number(opened)} onClose={() => open(undefined)} onEdit={setEditing} />
      )}
      {editing !== undefined && (
        <PayableForm payable={editing === "new" ? undefined : editing} onClose={() => setEditing(undefined)} />
      )}
      {adjusting && <AdjustMany {...adjusting} onClose={() => adjust(undefined)} />}
      {importing && <PayablesImport onClose={() => setImporting(false)} />}
    </>
  );
}

function useFilters(): Field[] {
  const t = useTexts();
  const { data: grades = [] } = useRead(tuitionPayment.listPayLimits, {});
  return [
    { kind: "text", name: "keyword", label: t.keyword, placeholder: t.keywordHelp, max: 255 },
    {
      kind: "select",
      name: "state",
      label: t.pay,
      options: (["due", "unpaid", "partly", "paid"] as const).map((value) => ({ value, label: t.paidStates[value] })),
    },
    {
      kind: "select",
      name: "grade",
      label: t.grade,
      options: grades.map(({ grade, gradeName }) => ({ value: grade, label: gradeName })),
    },
    { kind: "text", name: "years", label: t.years, placeholder: t.yearsHelp, max: 255 },
    { kind: "text", name: "collegeName", label: t.collegeName, max: 255 },
    { kind: "text", name: "className", label: t.className, max: 255 },
    { kind: "select", name: "overdue", label: t.overdue, options: [{ value: "1", label: t.overdueOnly }] },
  ];
}

interface Doing {
  readonly open: (id: number) => void;
  readonly edit: (payable: Payable) => void;
}

function useColumns({ open, edit }: Doing): Column<Payable>[] {
  const t = useTexts();
  const { kinds } = useAdjustmentTexts();
  return [
    { field: "studentNo", title: t.studentNo, width: 116, sortable: true },
    {
      field: "studentName",
      title: t.studentName,
      width: 92,
      sortable: true,
      render: ({ id, studentName }) => (
        <Link to={`/tuition-payment/accounts/${id}`} aria-label={t.accountOf(studentName)}>
          {studentName}
        </Link>
      ),
    },
    { field: "grade", title: t.grade, width: 76, sortable: true },
    { field: "years", title: t.years, width: 92, sortable: true },
    { field: "collegeName", title: t.collegeName, width: 116, sortable: true, hidden: true },
    { field: "majorName", title: t.majorName, width: 140, sortable: true, hidden: true },
    { field: "className", title: t.className, width: 140, sortable: true, hidden: true },
    {
      field: "payItemDetail",
      title: t.items,
      width: 108,
      render: ({ payItemDetail }) =>
        readItems(payItemDetail)
          .map(({ name, amount }) => `${name} ${formatTyped(amount)}`)
          .join(t.comma),
    },
    {
      field: "realPayAmount",
      title: t.amount,
      width: 124,
      align: "right",
      sortable: true,
      render: ({ realPayAmount }) => <Yuan amount={realPayAmount} />,
    },
    { field: "due", title: t.due, width: 110, align: "right", render: ({ due }) => <Yuan amount={due} /> },
    { field: "dueDate", title: t.dueDate, width: 104, sortable: true },
    {
      field: "adjustments",
      title: t.adjust,
      width: 150,
      hidden: true,
      render: ({ adjustments }) => adjustments.map(({ kind }) => kinds[kind]).join(t.comma),
    },
    { field: "pay", title: t.pay, width: 140, wraps: true, render: (payable) => <PaidState payable={payable} /> },
    actionColumn(t.actions, 102, (payable) => (
      <>
        <RowAction needs="nothing" label={t.openNamed(payable.studentName)} onClick={() => open(payable.id)}>
          {t.open}
        </RowAction>
        {/* A payable of which something is paid or deducted is immutable, so editing is not offered. */}
        {payable.due === payable.realPayAmount && (
          <RowAction
            needs={tuitionPayment.updatePayable}
            label={t.editNamed(payable.studentName)}
            onClick={() => edit(payable)}
          >
            {t.edit}
          </RowAction>
        )}
      </>
    )),
  ];
}

function PayablesImport({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts();
  const count = (rows: string) => formatCount(Number(rows));
  return (
    <ImportWizard
      title={t.importTitle}
      operation={tuitionPayment.importPayables}
      template={tuitionPayment.readImportTemplate}
      fields={[{ kind: "switch", name: "replace", label: t.replace, help: t.replaceHelp, off: false, on: true }]}
      preview={{
        fields: { dryRun: true },
        describe: (rows, { replace }) => (
          <Alert
            type="success"
            showIcon
            title={t.previewed(count(rows))}
            description={replace === true ? t.previewedReplace : t.previewedNew}
          />
        ),
        startText: (rows) => t.importRows(count(rows)),
      }}
      describe={(rows) => (
        <Alert type="success" showIcon title={t.imported(count(rows))} description={t.importedAbout} />
      )}
      onClose={onClose}
    >
      <p className="q-soft">{t.importAbout}</p>
    </ImportWizard>
  );
}
