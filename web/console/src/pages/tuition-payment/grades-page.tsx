import { useMay } from "#console/session/session.ts";
import { Switch } from "antd";
import { Link } from "react-router";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import type { Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/tuition-payment/texts.ts";

type Grade = RecordOf<typeof tuitionPayment.listPayLimits>;

export function GradesPage() {
  const t = useTexts();
  const columns: Column<Grade>[] = [
    { field: "gradeName", title: t.grade, width: 200 },
    { field: "grade", title: t.gradeCode, width: 160 },
    {
      field: "state",
      title: t.gradeState,
      width: 160,
      render: ({ enablePay }) => (
        <Status tone={enablePay === "1" ? "success" : "default"}>{t.enablePays[enablePay]}</Status>
      ),
    },
    { field: "switch", title: t.gradeSwitch, width: 120, render: (grade) => <GradeSwitch grade={grade} /> },
    {
      field: "payables",
      title: t.actions,
      width: 140,
      render: ({ grade, gradeName }) => (
        <Link to={`/tuition-payment/payables?grade=${encodeURIComponent(grade)}`} aria-label={t.payablesOf(gradeName)}>
          {t.seePayables}
        </Link>
      ),
    },
  ];
  return (
    <ListPage
      title={t.grades}
      about={t.gradesAbout}
      name="tuition-payment/grades"
      operation={tuitionPayment.listPayLimits}
      columns={columns}
      empty={{
        title: t.noGrades,
        about: t.noGradesAbout,
        action: <Link to="/tuition-payment/payables">{t.toPayables}</Link>,
      }}
    />
  );
}

function GradeSwitch({ grade: { id, gradeName, enablePay } }: { readonly grade: Grade }) {
  const t = useTexts();
  const may = useMay();
  const confirm = useConfirm();
  const set = useChange(tuitionPayment.setPayLimit, {
    done: enablePay === "1" ? t.gradeClosed(gradeName) : t.gradeOpened(gradeName),
  });
  const ask = () => {
    const closes = enablePay === "1";
    confirm({
      title: closes ? t.closeGrade(gradeName) : t.openGrade(gradeName),
      needs: tuitionPayment.setPayLimit,
      about: closes ? t.closeGradeAbout : t.openGradeAbout,
      verb: closes ? t.closePay : t.openPay,
      danger: closes,
      work: () => set.mutateAsync({ params: { settingId: id, enablePay: closes ? "2" : "1" } }),
    });
  };
  return (
    <Switch
      checked={enablePay === "1"}
      disabled={!may(tuitionPayment.setPayLimit)}
      loading={set.isPending}
      aria-label={t.gradeSwitchOf(gradeName)}
      onClick={ask}
    />
  );
}
