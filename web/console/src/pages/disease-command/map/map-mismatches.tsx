import { Button, Skeleton } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { Failure } from "#console/blocks/failure.tsx";
import { useRead } from "#console/call/use-call.ts";
import { findSimilar } from "#console/pages/disease-command/map/similar-names.ts";
import { texts } from "#console/pages/disease-command/map/texts.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { useTexts } from "#shared/language/language.ts";

/** Names that stand on one side only: a spot that the map lacks is on no screen. */
export function MapMismatches() {
  const t = useTexts(texts);
  const { data, error, refetch } = useRead(diseaseCommand.findMapMismatches, {});
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (!data) return <Skeleton active />;
  return (
    <div className="q-disease-mismatches">
      <section className="q-card" aria-label={t.spotsAlone}>
        <h2>{t.spotsAlone}</h2>
        <p className="q-soft">{data.spots.length === 0 ? t.allMatch : t.spotsAloneAbout(data.spots.length)}</p>
        <Names names={data.spots} among={data.features} />
        {data.spots.length > 0 && <Link to="/disease-command/scenic-spots">{t.toSpots}</Link>}
      </section>
      <section className="q-card" aria-label={t.featuresAlone}>
        <h2>{t.featuresAlone}</h2>
        <p className="q-soft">{t.featuresAloneAbout(data.features.length)}</p>
        <Names names={data.features} />
      </section>
    </div>
  );
}

// A map may have hundreds of names that are of no spot, and need be of none.
const atFirst = 50;

const none: readonly string[] = [];

function Names({ names, among = none }: { readonly names: readonly string[]; readonly among?: readonly string[] }) {
  const t = useTexts(texts);
  const [whole, showWhole] = useState(false);
  const shown = whole ? names : names.slice(0, atFirst);
  return (
    <>
      <ul className="q-disease-names">
        {shown.map((name) => (
          <li key={name}>
            <span>{name}</span>
            <Similar name={name} among={among} />
          </li>
        ))}
      </ul>
      {shown.length < names.length && (
        <Button type="link" onClick={() => showWhole(true)}>
          {t.showAll(names.length)}
        </Button>
      )}
    </>
  );
}

/** A name of the map that may be meant. */
function Similar({ name, among }: { readonly name: string; readonly among: readonly string[] }) {
  const t = useTexts(texts);
  const similar = findSimilar(name, among);
  return similar === undefined ? null : <div className="q-soft">{t.similar(similar)}</div>;
}
