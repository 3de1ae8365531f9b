import type { Objection } from "./employee.ts";
import { useTexts } from "./texts.ts";

const tones = { open: "warn", accepted: "good", refused: "bad" } as const;

export function OwnObjections({ objections }: { readonly objections: readonly Objection[] }) {
  const t = useTexts();
  return (
    <section className="stack" aria-labelledby="own-objections">
      <h2 id="own-objections">{t.own}</h2>
      {objections.length === 0 && <p className="soft">{t.noObjections}</p>}
      {objections.map((each) => (
        <article key={each.id} className="card">
          <strong>
            {each.month} · {each.day}
          </strong>
          <ObjectionCard objection={each} />
        </article>
      ))}
    </section>
  );
}

export function ObjectionCard({ objection }: { readonly objection: Objection }) {
  const t = useTexts();
  const { state, kind, text, note, makeTime, judgeTime, correction } = objection;
  return (
    <div className="own-objection">
      <p>
        <span className="tag" data-tone={tones[state]}>
          {t.states[state]}
        </span>{" "}
        {t.objectionKinds[kind]} · {text}
      </p>
      {note && <p>{t.answer(note)}</p>}
      {correction && (
        <p>
          {t.corrected} {t.corrections[correction.kind]}
        </p>
      )}
      <p className="soft">{(judgeTime ?? makeTime).slice(0, 16)}</p>
    </div>
  );
}
