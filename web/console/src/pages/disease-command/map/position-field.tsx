import { InputNumber } from "antd";
import { type ClipboardEvent, useState } from "react";
import { DiseaseMap } from "#console/pages/disease-command/map/disease-map.tsx";
import { texts } from "#console/pages/disease-command/map/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Mark } from "#shared/map/city-map.tsx";
import { parsePosition, writePosition } from "#shared/map/coordinates.ts";

interface PositionFieldProps {
  readonly id?: string;
  /** `longitude,latitude`. */
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly marks: readonly Mark[];
}

interface Typed {
  readonly longitude?: number | null;
  readonly latitude?: number | null;
}

/** A control for a place: picked on the map, or typed as two figures. */
export function PositionField({ id, value, onChange, marks }: PositionFieldProps) {
  const t = useTexts(texts);
  // One figure without the other is no place yet, and must not be lost meanwhile.
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
