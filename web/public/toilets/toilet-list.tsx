import type { ReactNode } from "react";
import { countFree, type Facilities, type Found, isLinked, type Toilet } from "#public/toilets/nearby.ts";
import { type NavigationApp, tellDevice, toNavigation } from "#public/toilets/navigation.ts";
import { isFresh, storedDatum } from "#public/toilets/use-toilets.ts";
import { useTexts } from "#public/toilets/texts.ts";

export interface ToiletListProps {
  readonly found: readonly Found[];
  readonly app: NavigationApp;
  readonly chosen: number | undefined;
  readonly readAt: number | undefined;
  readonly onMap: (id: number) => void;
}

export const showRow = (id: number): void => document.getElementById(nameRow(id))?.scrollIntoView({ block: "nearest" });

const nameRow = (id: number): string => `toilet-${id}`;

export const ToiletList = ({ found, chosen, ...rest }: ToiletListProps): ReactNode => (
  <ul className="toilets-list">
    {found.map((one) => (
      <ToiletRow key={one.toilet.id} found={one} isChosen={one.toilet.id === chosen} {...rest} />
    ))}
  </ul>
);

type ToiletRowProps = Pick<ToiletListProps, "app" | "readAt" | "onMap"> & {
  readonly found: Found;
  readonly isChosen: boolean;
};

const device = tellDevice(navigator);

function ToiletRow({ found: { toilet, metres }, isChosen, app, readAt, onMap }: ToiletRowProps): ReactNode {
  const t = useTexts();
  const { id, name, has } = toilet;
  const address = toNavigation(app, device, toilet, storedDatum);
  return (
    <li className="card toilets-row" id={nameRow(id)} aria-current={isChosen || undefined}>
      <div className="toilets-name">
        <h2>{name}</h2>
        {metres !== undefined && <Distance metres={metres} />}
      </div>
      {has && <p className="soft">{has.addrDesc}</p>}
      {has && <Places has={has} />}
      {isLinked(toilet) && <Live toilet={toilet} readAt={readAt} />}
      <div className="row">
        <a
          className="button"
          data-kind="main"
          href={address}
          aria-label={t.navigateTo(name)}
          {...(address.startsWith("https:") && { target: "_blank", rel: "noopener noreferrer" })}
        >
          {t.navigate}
        </a>
        <button className="button" type="button" aria-label={t.onMapOf(name)} onClick={() => onMap(id)}>
          {t.onMap}
        </button>
      </div>
    </li>
  );
}

function Distance({ metres }: { readonly metres: number }): ReactNode {
  const t = useTexts();
  const text =
    metres < 999.5 ? t.metres(Math.round(metres)) : t.kilometres((metres / 1000).toFixed(metres < 99_950 ? 1 : 0));
  return <span className="toilets-distance">{text}</span>;
}

function Places({ has }: { readonly has: Facilities }): ReactNode {
  const t = useTexts();
  const places = [
    [t.barrierFreeCount, has.numOfBarrierFree, "good"],
    [t.thirdCount, has.numOfThird, "good"],
    [t.men, has.numOfMan],
    [t.women, has.numOfWoman],
    [t.common, has.numOfCommon],
  ] as const;
  return (
    <ul className="row" aria-label={t.facilities}>
      {places
        .filter(([, count]) => count > 0)
        .map(([write, count, tone]) => (
          <li className="tag" data-tone={tone} key={write(count)}>
            {write(count)}
          </li>
        ))}
    </ul>
  );
}

function Live({ toilet, readAt }: { readonly toilet: Toilet; readonly readAt: number | undefined }): ReactNode {
  const t = useTexts();
  const free = isFresh(readAt) ? countFree(toilet) : undefined;
  if (free === undefined) return <p className="soft">{t.linked}</p>;
  return (
    <p className="toilets-live" data-none={free === 0 || undefined}>
      {t.free(free)}
    </p>
  );
}
