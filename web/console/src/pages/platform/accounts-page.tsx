import { Link } from "react-router";
import { diseaseCommand } from "#console/api/disease-command.ts";
import { platform } from "#console/api/platform.ts";
import { reporting } from "#console/api/reporting.ts";
import { tuitionPayment } from "#console/api/tuition-payment.ts";
import { formatCount } from "#console/blocks/format.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/platform/texts.ts";
import { place } from "#console/place.ts";
import { serves, useSession, type Session } from "#console/session/session.ts";
import type { ServiceName } from "#platform/process/config.ts";

interface Row {
  readonly scope: Session["service"];
  readonly role: string;
  readonly may: string;
  readonly count: number | undefined;
  readonly to: string | undefined;
}

/** Which accounts there are, of whom, and what their roles may do. */
export function AccountsPage() {
  const t = useTexts(texts);
  const session = useSession();
  const isServed = (service: ServiceName) => serves(session, service) && place.services.includes(service);
  const operators = useRead(platform.listOperators, { query: { curPage: 1, pageSize: 1 } });
  const ofReporting = useRead(
    reporting.listAdministrators,
    { query: { currPage: 1, pageSize: 1 } },
    { enabled: isServed("reporting") },
  );
  const one = { query: { curPage: 1, pageSize: 1 } };
  const ofTuition = useRead(tuitionPayment.listAdministrators, one, { enabled: isServed("tuition-payment") });
  const ofDisease = useRead(diseaseCommand.listAdministrators, one, { enabled: isServed("disease-command") });
  const counts: Partial<Record<Session["service"], { count: number | undefined; to: string }>> = {
    reporting: { count: ofReporting.data?.totalCount, to: "/reporting/administrators" },
    "tuition-payment": { count: ofTuition.data?.totalCount, to: "/tuition-payment/administrators" },
    "disease-command": { count: ofDisease.data?.totalCount, to: "/disease-command/administrators" },
  };
  const administrators = `${t.roleSuper} / ${t.roleAdministrator}`;
  const rows: Row[] = [
    {
      scope: "platform",
      role: t.roleOperator,
      may: t.roleOperatorMay,
      count: operators.data?.totalCount,
      to: "/platform/operators",
    },
    ...place.services.map((scope) => {
      const own = counts[scope];
      return own
        ? { scope, role: administrators, may: `${t.roleSuperMay} / ${t.roleAdministratorMay}`, ...own }
        : { scope, role: t.roleNone, may: "", count: undefined, to: undefined };
    }),
  ];
  return (
    <>
      <PageHead title={t.accounts} about={t.accountsAbout} />
      <section className="q-card">
        <Records<Row>
          rowKey={({ scope }) => scope}
          rows={rows}
          empty={null}
          columns={[
            { title: t.scope, field: "scope", width: 140, render: ({ scope }) => t.services[scope] },
            { title: t.role, field: "role", width: 240 },
            { title: t.may, field: "may", width: 300, wraps: true },
            {
              title: t.count,
              field: "count",
              width: 100,
              align: "right",
              render: ({ count }) => (count === undefined ? "" : formatCount(count)),
            },
            actionColumn(
              t.actions,
              120,
              ({ to, scope }) =>
                to !== undefined && (
                  <Link to={to} aria-label={t.manageOf(t.services[scope])}>
                    {t.manage}
                  </Link>
                ),
            ),
          ]}
        />
      </section>
    </>
  );
}
