import { useQuery } from "@tanstack/react-query";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { CityMap, type CityMapProps, type Mark } from "#shared/map/city-map.tsx";
import { type City, readCity } from "#shared/map/use-city.ts";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { usePrinting } from "#console/printing.tsx";
import { type ClipboardEvent, useMemo, useState } from "react";
import { Link } from "react-router";
import { useRead } from "#console/call/use-call.ts";
import { useMapTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { findPlace } from "#shared/map/areas.ts";
import { InputNumber } from "antd";
import { parsePosition, writePosition } from "#shared/map/coordinates.ts";
import "#console/pages/disease-command/map/disease-map.css";

interface DiseaseMapProps extends Omit<CityMapProps, "areas" | "settings"> {
  readonly size: "field" | "part" | "list" | "page";
}

export function DiseaseMap({ size, ...props }: DiseaseMapProps) {
  const { data: city } = useCityOfConsole();
  return (
    <div className={`q-disease-map q-disease-map-${size}`}>
      <CityMap {...props} areas={city?.areas} settings={city?.settings} />
    </div>
  );
}

export const useCityOfConsole = () =>
  useQuery<City>({ queryKey: [diseaseCommand.readCityMap.service, "city"], queryFn: readCity });

export function ListMap({ label, marks }: { readonly label: string; readonly marks: readonly Mark[] }) {
  const [opened, open] = useOpened();
  const isPrinting = usePrinting();
  if (isPrinting) return null;
  return (
    <DiseaseMap
      size="list"
      label={label}
      marks={marks}
      onOpen={open}
      {...(opened !== undefined && { chosen: Number(opened) })}
    />
  );
}

const most = 1000;

export function useSpotMarks(): readonly Mark[] {
  const { data: city } = useCityOfConsole();
  const { data: spots } = useRead(diseaseCommand.listScenicSpots, { query: { pageSize: most } });
  return useMemo(
    () =>
      (spots?.list ?? []).flatMap(({ id, scenicSpotName }) => {
        const at = findPlace(city?.listed ?? [], scenicSpotName);
        return at ? [{ id, at, label: scenicSpotName, kind: "spot" as const, area: scenicSpotName }] : [];
      }),
    [city, spots],
  );
}

export function SpotsMap() {
  const t = useTexts();
  const { data: city } = useCityOfConsole();
  const marks = useSpotMarks();
  const { data: mismatches } = useRead(diseaseCommand.findMapMismatches, {});
  const missing = mismatches?.spots.length ?? 0;
  if (!city) return null;
  if (!city.areas)
    return (
      <div className="q-buttons q-disease-about-map">
        <span className="q-soft">{t.noMap}</span>
        <Link to="/disease-command/map">{t.toMap}</Link>
      </div>
    );
  return (
    <>
      <ListMap label={t.spots} marks={marks} />
      {missing > 0 && (
        <div className="q-buttons q-disease-about-map">
          <span className="q-soft">{t.missingSpots(missing)}</span>
          <Link to="/disease-command/map">{t.toMismatches}</Link>
        </div>
      )}
    </>
  );
}

interface PositionFieldProps {
  readonly id?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly marks: readonly Mark[];
}

interface Typed {
  readonly longitude?: number | null;
  readonly latitude?: number | null;
}

export function PositionField({ id, value, onChange, marks }: PositionFieldProps) {
  const t = useTexts();
  // The first coordinate typed is kept here until the second one is typed.
  const [half, setHalf] = useState<Typed>({});
  const place = parsePosition(value);
  const typed: Typed = place ? { longitude: place[0], latitude: place[1] } : half;
  const type = (change: Typed) => {
    const { longitude, latitude } = { ...typed, ...change };
    const isWhole = typeof longitude === "number" && typeof latitude === "number";
    setHalf(isWhole ? {} : { longitude: longitude ?? null, latitude: latitude ?? null });
    onChange?.(isWhole ? `${longitude},${latitude}` : "");
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = parsePosition(event.clipboardData.getData("text"));
    if (!pasted) return;
    event.preventDefault();
    type({ longitude: pasted[0], latitude: pasted[1] });
  };
  return (
    <div onPaste={paste}>
      <div className="q-disease-position">
        <InputNumber
          {...(id !== undefined && { id })}
          className="q-wide"
          prefix={t.longitude}
          aria-label={t.longitude}
          min={-180}
          max={180}
          controls={false}
          value={typed.longitude ?? null}
          onChange={(longitude) => type({ longitude })}
        />
        <InputNumber
          className="q-wide"
          prefix={t.latitude}
          aria-label={t.latitude}
          min={-90}
          max={90}
          controls={false}
          value={typed.latitude ?? null}
          onChange={(latitude) => type({ latitude })}
        />
      </div>
      <DiseaseMap
        label={t.map}
        size="field"
        marks={marks}
        place={place}
        onPick={(picked) => {
          setHalf({});
          onChange?.(writePosition(picked));
        }}
      />
    </div>
  );
}
