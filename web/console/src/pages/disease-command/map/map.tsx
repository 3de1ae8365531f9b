import { Skeleton } from "antd";
import { late } from "#console/blocks/late.tsx";
import type { Place } from "#console/pages/disease-command/map/coordinates.ts";

/** Something that stands on the map for orientation. */
export interface Mark extends Place {
  readonly id: number;
  readonly name: string;
}

export interface MapProps {
  /** What it shows, for those who cannot see it. */
  readonly label: string;
  readonly height: number;
  readonly marks: readonly Mark[];
  /** The place that is meant. */
  readonly place?: Place | undefined;
  /** With it a place can be picked: by a click, by dragging the pin, by Enter in the middle. */
  readonly onPick?: (place: Place) => void;
}

// The map's library comes when a map is first shown.
/** A map that needs no tile server: a grid of degrees, what else is known on it, and a scale. */
export const Map = late<MapProps>(
  async () => (await import("#console/pages/disease-command/map/drawn-map.tsx")).DrawnMap,
  ({ height }) => <Skeleton.Node active className="q-wide" styles={{ content: { height } }} />,
);
