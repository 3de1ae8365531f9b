import { Table } from "antd";
import { Link } from "react-router";
import { platform } from "#console/api/platform.ts";
import { reporting } from "#console/api/reporting.ts";
import { formatCount } from "#console/blocks/format.ts";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/pages/platform/texts.ts";
import { place } from "#console/place.ts";
import { serves, useSession, type Session } from "#console/session/session.ts";

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
  const one = { curPage: 1, pageSize: 1 };
  const operators = useRead(platform.listOperators, { query: one });
  const ofReporting = useRead(
    reporting.listAdministrators,
    { query: { currPage: 1, pageSize: 1 } },
    { enabled: serves(session, "reporting") && place.services.includes("reporting") },
  );
  const counts: Partial<Record<Session["service"], { count: number | undefined; to: string }>> = {
    reporting: { count: ofReporting.data?.totalCount, to: "/reporting/administrators" },
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
        <Table<Row>
          size="middle"
          rowKey="scope"
          pagination={false}
          dataSource={rows}
          columns={[
            { title: t.scope, dataIndex: "scope", width: 140, render: (scope: Row["scope"]) => t.services[scope] },
            { title: t.role, dataIndex: "role", width: 240 },
            { title: t.may, dataIndex: "may" },
            {
              title: t.count,
              dataIndex: "count",
              width: 100,
              align: "right",
              render: (count: Row["count"]) => (count === undefined ? "" : formatCount(count)),
            },
            {
              title: t.actions,
              dataIndex: "to",
              width: 120,
              render: (to: Row["to"], { scope }: Row) =>
                to !== undefined && (
                  <Link to={to} aria-label={t.manageOf(t.services[scope])}>
                    {t.manage}
                  </Link>
                ),
            },
          ]}
        />
      </section>
    </>
  );
}
