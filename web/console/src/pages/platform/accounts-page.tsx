import { Link } from "react-router";
import { formatCount } from "#console/blocks/format.ts";
import { actionColumn } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import type { Operation } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/platform/texts.ts";
import { platformFirst, useServiceNames } from "#console/sections.ts";
import { may, mayOpen, type Session, useSession } from "#console/session/session.ts";
import type { Accounts } from "#console/shell/section.ts";

interface Row {
  readonly service: string;
  readonly role: string;
  readonly may: string;
  readonly accounts: Accounts | undefined;
}

export function AccountsPage() {
  const t = useTexts();
  const nameService = useServiceNames();
  const session = useSession();
  const rows = platformFirst.map(({ service, accounts }): Row => {
    if (service === "platform") return { service, role: t.roleOperator, may: t.roleOperatorMay, accounts };
    if (!accounts) return { service, role: t.roleNone, may: "", accounts };
    const role = `${t.roleSuper} / ${t.roleAdministrator}`;
    return { service, role, may: `${t.roleSuperMay} / ${t.roleAdministratorMay}`, accounts };
  });
  return (
    <>
      <PageHead title={t.accounts} about={t.accountsAbout} />
      <section className="q-card">
        <Records<Row>
          rowKey={({ service }) => service}
          rows={rows}
          empty={null}
          columns={[
            { title: t.scope, field: "service", width: 140, render: ({ service }) => nameService(service) },
            { title: t.role, field: "role", width: 240, wraps: true },
            { title: t.may, field: "may", width: 300, wraps: true },
            {
              title: t.count,
              field: "accounts",
              width: 100,
              align: "right",
              render: ({ accounts }) => accounts && mayList(session, accounts) && <AccountCount list={accounts.list} />,
            },
            actionColumn(
              t.actions,
              120,
              ({ service, accounts }) =>
                accounts &&
                mayList(session, accounts) && (
                  <Link to={`/${service}/${accounts.page}`} aria-label={t.manageOf(nameService(service))}>
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

const mayList = (session: Session | null, { list }: Accounts): boolean =>
  mayOpen(session, list) || (list.service === "platform" && may(session, list));

function AccountCount({ list }: { readonly list: Operation }) {
  const query = { [list.page ?? "curPage"]: 1, pageSize: 1 };
  const { data } = useRead(list, { query });
  const total = (data as { totalCount: number } | undefined)?.totalCount;
  return <>{total !== undefined && formatCount(total)}</>;
}
