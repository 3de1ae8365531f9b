import { Alert, Button } from "antd";
import { useState } from "react";
import { useDecisions } from "#console/blocks/queue/use-decisions.ts";
import { callWith } from "#console/call/call.ts";
import { makeKey } from "#shared/call/exchange.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { DateText } from "#console/blocks/fields.tsx";
import { formatCount, today } from "#console/blocks/format.ts";
import { ImportWizard } from "#console/blocks/import/import-wizard.tsx";
import type { DataOf, RecordOf } from "#shared/call/operation.ts";
import { DayForm, type DayGiven } from "#console/pages/disease-command/fever-clinic/day-form.tsx";
import { toKnownQuery, useDoubts } from "#console/pages/disease-command/fever-clinic/doubts.tsx";
import { useClinicTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { RecordPage } from "#console/pages/disease-command/records/record-page.tsx";
import { toOption, useExisting } from "#console/pages/disease-command/records/use-existing.ts";
import { TrendViews } from "#console/pages/disease-command/trend/trend-views.tsx";
import { useMay } from "#console/session/session.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { StatCard } from "#console/blocks/stat-card.tsx";
import { useRead } from "#console/call/use-call.ts";
import { Ranking } from "#console/pages/disease-command/records/ranking.tsx";
import "#console/pages/disease-command/fever-clinic/fever-clinic.css";
import "#console/pages/disease-command/records/page.css";

type Imported = DataOf<typeof diseaseCommand.importFeverClinics>;
type FeverClinic = RecordOf<typeof diseaseCommand.listFeverClinics>;

export function FeverClinicsPage() {
  const t = useTexts();
  const may = useMay();
  const [opened, setOpened] = useState<"import" | "day">();
  const [day, setDay] = useState<DayGiven>();
  const [held, setHeld] = useState<Readonly<Record<string, DayGiven>>>({});
  const [refused, setRefused] = useState<readonly string[]>([]);
  // A refused day is opened again once nothing else is open, so that neither day is lost.
  const [again] = opened === undefined ? refused : [];
  const decisions = useDecisions("disease-command");
  const close = () => (again === undefined ? setOpened(undefined) : setRefused((all) => all.slice(1)));
  const reopen = (given: DayGiven) => {
    setDay(given);
    setOpened("day");
  };
  const holdDay = (given: DayGiven) => {
    const { statisticsDate } = given;
    const datas = given.datas.map((row) => ({ ...row, statisticsDate })) as never;
    const idempotencyKey = makeKey();
    close();
    setHeld((all) => ({ ...all, [idempotencyKey]: given }));
    decisions.decide(idempotencyKey, {
      said: t.heldDay(statisticsDate, formatCount(given.datas.length)),
      send: (options) =>
        callWith(diseaseCommand.saveFeverClinics, { body: { datas } }, { ...options, idempotencyKey }).catch(
          (error: unknown) => {
            setRefused((all) => [...all, idempotencyKey]);
            throw error;
          },
        ),
    });
  };
  const doubts = useDoubts();
  const readBack = async ({ statisticsDate, ...row }: Partial<FeverClinic>) => {
    const found = await doubts.findOfDay(statisticsDate ?? today(), [row]);
    return found.length > 0 ? doubts.ask(found) : undefined;
  };
  const hospitals = useExisting(diseaseCommand.listFeverClinics, "hospitalName");
  const count = { kind: "number", required: true, min: 0, precision: 0, unit: t.persons, width: 170 } as const;
  return (
    <>
      <RecordPage<FeverClinic>
        title={t.title}
        one={t.one}
        name="fever-clinics"
        what="feverClinic"
        operations={{
          list: diseaseCommand.listFeverClinics,
          update: diseaseCommand.updateFeverClinic,
          remove: diseaseCommand.deleteFeverClinics,
        }}
        readBack={readBack}
        nameOf={({ statisticsDate, hospitalName }) => `${statisticsDate} ${hospitalName}`}
        filters={[
          { kind: "date", name: "startDate", label: t.startDate },
          { kind: "date", name: "endDate", label: t.endDate },
          { kind: "select", name: "hospitalName", label: t.hospitalName, options: hospitals.map(toOption) },
        ]}
        fields={[
          { kind: "date", name: "statisticsDate", label: t.statisticsDate, required: true },
          {
            kind: "text",
            name: "hospitalName",
            label: t.hospitalName,
            required: true,
            max: 255,
            width: 260,
            existing: hospitals,
          },
          { ...count, name: "feverClinicCount", label: t.feverClinicCount },
          { ...count, name: "epidemicCount", label: t.epidemicCount },
          { kind: "dateTime", name: "updateTime", label: t.updateTime, asked: false },
        ]}
        actions={
          <>
            <TrendViews list="/disease-command/fever-clinics" view="list" />
            {may(diseaseCommand.saveFeverClinics) && (
              <>
                <Button onClick={() => setOpened("import")}>{t.import}</Button>
                <Button
                  type="primary"
                  onClick={() => {
                    setDay(undefined);
                    setOpened("day");
                  }}
                >
                  {t.enterDay}
                </Button>
              </>
            )}
          </>
        }
        empty={{ title: t.empty, about: t.emptyAbout }}
      >
        <div role="status">
          {decisions.last && (
            <Alert
              type="info"
              showIcon
              className="q-form-failure"
              title={decisions.last.said}
              action={
                <Button
                  size="small"
                  onClick={() => {
                    const given = held[decisions.undo() ?? ""];
                    if (given) reopen(given);
                  }}
                >
                  {t.takeBack}
                </Button>
              }
            />
          )}
        </div>
        <LatestFigures />
      </RecordPage>
      {opened === "import" && <DayImport onClose={close} />}
      {opened === "day" && <DayForm given={day} onSave={holdDay} onClose={close} />}
      {again !== undefined && <DayForm key={again} given={held[again]} onSave={holdDay} onClose={close} />}
    </>
  );
}

const countOf = (read: Imported): string => (typeof read === "string" ? read : String(read.length));

function DayImport({ onClose }: { readonly onClose: () => void }) {
  const t = useTexts();
  const [day, setDay] = useState(today());
  const { find, ask } = useDoubts();
  const known = useRead(diseaseCommand.listFeverClinics, { query: toKnownQuery(day) }).data?.list ?? [];
  const describeRead = (read: Imported) => {
    const doubts = Array.isArray(read) ? find(known, read) : [];
    return doubts.length > 0 ? (
      <Alert type="warning" showIcon title={t.unlikeTitle} description={ask(doubts).content} />
    ) : (
      <Alert type="success" showIcon title={t.read(countOf(read), day)} />
    );
  };
  return (
    <ImportWizard
      title={t.importTitle}
      operation={diseaseCommand.importFeverClinics}
      given={{ params: { dateStr: day } }}
      template={diseaseCommand.feverClinicTemplate}
      preview={{ fields: { dryRun: true }, describe: describeRead }}
      describe={(rows) => t.imported(countOf(rows), day)}
      onClose={onClose}
    >
      <p className="q-soft">{t.importAbout}</p>
      <label className="q-disease-import-day">
        {t.statisticsDate}
        <DateText kind="date" value={day} onChange={(chosen) => setDay(chosen ?? today())} />
      </label>
    </ImportWizard>
  );
}

const most = 6;

function LatestFigures() {
  const t = useTexts();
  const { data, error, refetch } = useRead(diseaseCommand.findLastFeverClinics, {});
  if (error)
    return (
      <section className="q-card">
        <Failure failure={error} onRetry={refetch} />
      </section>
    );
  const sum = (field: "feverClinicCount" | "epidemicCount") =>
    data && formatCount(data.reduce((total, row) => total + row[field], 0));
  const [first] = data ?? [];
  const top = data?.slice(0, most) ?? [];
  return (
    <section className="q-card" aria-label={t.latest}>
      <div className="q-disease-head">
        <h2>{first ? t.latestOf(first.statisticsDate) : t.latest}</h2>
      </div>
      {data?.length === 0 ? (
        <p className="q-soft">{t.noLatest}</p>
      ) : (
        <div className="q-disease-latest">
          <div className="q-stats">
            <StatCard label={t.hospitals} value={data && formatCount(data.length)} unit={t.units} />
            <StatCard label={t.feverClinicCount} value={sum("feverClinicCount")} unit={t.persons} />
            <StatCard label={t.epidemicCount} value={sum("epidemicCount")} unit={t.persons} />
          </div>
          <Ranking
            title={t.top(top.length)}
            format={(count) => `${formatCount(count)} ${t.persons}`}
            rows={top.map(({ id, hospitalName, feverClinicCount }) => ({
              id,
              name: hospitalName,
              value: feverClinicCount,
            }))}
          />
        </div>
      )}
    </section>
  );
}
