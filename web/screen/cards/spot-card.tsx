import { useState } from "react";
import { Card } from "#screen/blocks/card.tsx";
import { Value } from "#screen/blocks/panel.tsx";
import { toVrAddress } from "#shared/vr-address.ts";
import type { Overview } from "#screen/feed/use-feed.ts";
import { formatCount } from "#screen/format.ts";
import { useTexts } from "#screen/texts.ts";
import { toAddress } from "#shared/call/exchange.ts";
import { place } from "#shared/place.ts";

export type Spot = Overview["scenicSpotOverview"][number];

export function SpotCard({ spot, onClose }: { readonly spot: Spot; readonly onClose: () => void }) {
  const t = useTexts();
  return (
    <Card title={spot.scenicSpotName} onClose={onClose}>
      <div className="s-spot">
        <Picture key={spot.image} name={spot.image} label={t.spot.picture(spot.scenicSpotName)} />
        <div className="s-spot-facts">
          <p className="s-spot-about">{spot.scenicSpotDesc}</p>
          <dl className="s-facts">
            <Value label={t.spot.responsible}>{spot.responsibler}</Value>
            <Value label={t.spot.phone}>{spot.responsiblerPhone}</Value>
            <Value label={t.spot.crew}>{t.spot.persons(formatCount(spot.numOfEmergencyCrew))}</Value>
            <Value label={t.spot.material}>{t.spot.items(formatCount(spot.numOfEmergencMaterial))}</Value>
          </dl>
          <Panorama urlOfVr={spot.urlOfVr} />
        </div>
      </div>
    </Card>
  );
}

function Picture({ name, label }: { readonly name: string; readonly label: string }) {
  const t = useTexts();
  const [missing, setMissing] = useState(false);
  if (missing) return <p className="s-spot-picture s-nothing">{t.spot.noPicture}</p>;
  const address = toAddress(`/disease-command/file/${encodeURIComponent(name)}`);
  return <img className="s-spot-picture" src={address} alt={label} onError={() => setMissing(true)} />;
}

function Panorama({ urlOfVr }: { readonly urlOfVr: string | null }) {
  const t = useTexts();
  if (urlOfVr === null || urlOfVr === "") return null;
  const address = toVrAddress(urlOfVr, place.base);
  if (address === undefined) return <p className="s-spot-about">{t.spot.noVr}</p>;
  return (
    <a className="s-button" href={address} target="_blank" rel="noopener noreferrer">
      {t.spot.vr}
    </a>
  );
}
