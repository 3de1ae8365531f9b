import { type ReactNode, useLayoutEffect, useState } from "react";
import { Field } from "#public/blocks/field.tsx";
import { dayBack } from "#public/blocks/day.ts";
import { openKept } from "#public/blocks/kept.ts";
import { Shell } from "#public/blocks/shell.tsx";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { useSending } from "#public/blocks/use-sending.ts";
import { DayForm, type Typed } from "#public/clinic/day-form.tsx";
import {
  figures,
  findHospitals,
  isSignedOut,
  keepToken,
  keptToken,
  listReports,
  type Report,
  signIn,
  signOut,
} from "./reports.ts";
import { useTexts } from "#public/clinic/texts.ts";
import { useReading } from "#shared/call/use-reading.ts";
import { place } from "#shared/place.ts";
import "#public/clinic/clinic.css";

export function ClinicPage(): ReactNode {
  const t = useTexts();
  const [token, setToken] = useState(keptToken);
  const [hasEnded, setEnded] = useState(false);
  const [drafts, setDrafts] = useState(() => keptDrafts.get() ?? {});
  // An effect after the next frame would lose the last letter before a reload.
  useLayoutEffect(() => keptDrafts.set(drafts), [drafts]);
  const change = (next: string | null, ended = false) => {
    keepToken(next);
    setToken(next);
    setEnded(ended);
    if (next === null && !ended) setDrafts({});
  };
  return (
    <Shell title={t.title}>
      {token === null ? (
        <SignIn hasEnded={hasEnded} onToken={change} />
      ) : (
        <Hospitals token={token} drafts={drafts} onDrafts={setDrafts} onLeave={(ended) => change(null, ended)} />
      )}
    </Shell>
  );
}

function SignIn({ hasEnded, onToken }: { readonly hasEnded: boolean; readonly onToken: (token: string) => void }) {
  const t = useTexts();
  const [given, setGiven] = useState({ userName: "", password: "" });
  const { isSending, failure, send } = useSending();
  const fields = [
    { name: "userName", type: "text", autoComplete: "username" },
    { name: "password", type: "password", autoComplete: "current-password" },
  ] as const;
  return (
    <form
      className="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        send(async () => onToken(await signIn(given.userName.trim(), given.password)));
      }}
    >
      {hasEnded && <p role="status">{t.ended}</p>}
      {fields.map(({ name, ...input }) => (
        <Field key={name} needed label={t[name]}>
          {(control) => (
            <input
              {...control}
              {...input}
              required
              autoCapitalize="off"
              value={given[name]}
              onInput={({ currentTarget }) => setGiven({ ...given, [name]: currentTarget.value })}
            />
          )}
        </Field>
      ))}
      {failure && <Failed failure={failure} />}
      <button type="submit" className="button" data-kind="main" data-wide="" disabled={isSending}>
        {t.signIn}
      </button>
    </form>
  );
}

type Drafts = Readonly<Record<string, Typed>>;

const keptDrafts = openKept<Drafts>("clinic.drafts");

interface SignedIn {
  readonly token: string;
  readonly drafts: Drafts;
  readonly onDrafts: (change: (drafts: Drafts) => Drafts) => void;
  readonly onLeave: (ended: boolean) => void;
}

function Hospitals(signedIn: SignedIn) {
  const { token, onLeave } = signedIn;
  const t = useTexts();
  const { data, failure, retry } = useReading(token, async () => findHospitals(token));
  const [chosen, choose] = useState<string>();
  if (isSignedOut(failure)) return <Ended onLeave={onLeave} />;
  if (failure) return <Failed failure={failure} retry={retry} />;
  if (!data) return <Waiting />;
  const hospital = chosen ?? data.hospitals[0];
  const isWaiting = data.isWaiting || hospital === undefined;
  return (
    <>
      {isWaiting && (
        <div className="note" data-tone="warn">
          <p>{data.isWaiting ? t.first : t.noHospital}</p>
          {data.isWaiting && <a href={`${place.base}/console/`}>{t.toConsole}</a>}
        </div>
      )}
      {data.hospitals.length > 1 && (
        <Field needed label={t.hospital}>
          {(control) => (
            <select {...control} value={hospital} onChange={({ currentTarget }) => choose(currentTarget.value)}>
              {data.hospitals.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
      )}
      {!isWaiting && <Days key={hospital} {...signedIn} hospital={hospital} />}
      <button
        type="button"
        className="button"
        data-kind="quiet"
        onClick={() => void signOut(token).then(() => onLeave(false))}
      >
        {t.signOut}
      </button>
    </>
  );
}

function Ended({ onLeave }: Pick<SignedIn, "onLeave">) {
  const t = useTexts();
  return (
    <div className="note" data-tone="warn" role="alert">
      <p>{t.ended}</p>
      <button type="button" className="button" onClick={() => onLeave(true)}>
        {t.signIn}
      </button>
    </div>
  );
}

function Days({ token, drafts, onDrafts, hospital, onLeave }: SignedIn & { readonly hospital: string }) {
  const { data, failure, retry } = useReading(hospital, async () => listReports(token, hospital));
  if (!data) return failure ? <Failed failure={failure} retry={retry} /> : <Waiting />;
  return (
    <>
      <h2>{hospital}</h2>
      {failure && <Failed failure={failure} retry={retry} />}
      <DayForm
        token={token}
        hospital={hospital}
        known={data}
        typed={drafts[hospital] ?? {}}
        onTyped={(change) => onDrafts((all) => ({ ...all, [hospital]: change(all[hospital] ?? {}) }))}
        onSent={retry}
        ended={<Ended onLeave={onLeave} />}
      />
      <LastDays known={data} />
    </>
  );
}

function LastDays({ known }: { readonly known: readonly Report[] }) {
  const t = useTexts();
  const days = Array.from({ length: 14 }, (_, back) => dayBack(back));
  return (
    <section className="card">
      <h2>{t.last}</h2>
      <table className="clinic-days clinic-last">
        <thead>
          <tr>
            {[t.day, ...figures.map((figure) => t.figures[figure])].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map((day) => {
            const row = known.find(({ statisticsDate }) => statisticsDate === day);
            return (
              <tr key={day}>
                <th scope="row">{day.slice(5)}</th>
                {figures.map((figure) => (
                  <td key={figure}>{row ? row[figure] : <span className="soft">{t.none}</span>}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
