import { useState } from "react";
import type { Guest } from "#public/blocks/guest.ts";
import { Nothing } from "#public/blocks/notice.tsx";
import { NoticeWish } from "#public/blocks/notice-wish.tsx";
import { Shell } from "#public/blocks/shell.tsx";
import { SignIn } from "#public/blocks/sign-in.tsx";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { attendance } from "#shared/api/attendance.ts";
import { call } from "#shared/call/exchange.ts";
import { useReading } from "#shared/call/use-reading.ts";
import { place } from "#shared/place.ts";
import { ask, employees, type OwnMonth } from "./employee.ts";
import { MonthView } from "./month-view.tsx";
import { OwnObjections } from "./own-objections.tsx";
import { useTexts } from "./texts.ts";

export function App() {
  const t = useTexts();
  const standing = employees.useStanding();
  const entrance = `${place.base}/h5/attendance/`;
  return (
    <Shell title={t.title}>
      {standing === "in" ? (
        <Months />
      ) : (
        <SignIn standing={standing} guests={employees} says={t.signIn} entrance={entrance} exchange={exchange} />
      )}
    </Shell>
  );
}

async function exchange(code: string): Promise<Guest> {
  const { employeeNo, token } = await call(attendance.loginEmployee, { body: { code } });
  return { number: employeeNo, token };
}

const keyOf = ({ month, groupOfCheck }: OwnMonth): string => `${month} ${groupOfCheck}`;

function Months() {
  const t = useTexts();
  const [chosen, choose] = useState<string>();
  const months = useReading("months", (signal) => ask(attendance.listOwnMonths, {}, { signal }));
  const objections = useReading("objections", (signal) =>
    ask(attendance.listOwnObjections, { query: { curPage: 1, pageSize: 100 } }, { signal }),
  );
  const month = months.data?.find((each) => keyOf(each) === chosen) ?? months.data?.[0];
  const reload = () => {
    months.retry();
    objections.retry();
  };
  if (months.failure) return <Failed failure={months.failure} retry={months.retry} />;
  if (!months.data) return <Waiting />;
  return (
    <>
      <div className="own-ends">
        <select
          aria-label={t.month}
          value={month && keyOf(month)}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {months.data.map((each) => (
            <option key={keyOf(each)} value={keyOf(each)}>
              {months.data?.some((other) => other !== each && other.month === each.month) ? keyOf(each) : each.month}
            </option>
          ))}
        </select>
        {employees.current() && (
          <button type="button" className="button" data-kind="quiet" onClick={employees.leave}>
            {t.signOut}
          </button>
        )}
      </div>
      {month ? (
        <MonthView key={keyOf(month)} month={month} objections={objections.data?.list ?? []} onChange={reload} />
      ) : (
        <Nothing title={t.noMonths}>{t.noMonthsAbout}</Nothing>
      )}
      {objections.failure ? (
        <Failed failure={objections.failure} retry={objections.retry} />
      ) : (
        objections.data && <OwnObjections objections={objections.data.list} />
      )}
      {month && (
        <NoticeWish
          read={(signal) => ask(attendance.readOwnNotices, {}, { signal })}
          change={(body) => ask(attendance.changeOwnNotices, { body })}
        />
      )}
    </>
  );
}
