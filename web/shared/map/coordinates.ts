import type { Position } from "#platform/contract/datum.ts";

const pattern = /^\s*(-?\d+(?:\.\d+)?)\s*[,，\s]\s*(-?\d+(?:\.\d+)?)\s*$/;

export function parsePosition(text: string | null | undefined): Position | undefined {
  const [found, longitude, latitude] = pattern.exec(text ?? "") ?? [];
  const position: Position = [Number(longitude), Number(latitude)];
  return found !== undefined && Math.abs(position[0]) <= 180 && Math.abs(position[1]) <= 90 ? position : undefined;
}

/** Writes `114.305500,30.592800`; the sixth decimal is about a tenth of a metre. */
export const writePosition = ([longitude, latitude]: Position): string =>
  `${longitude.toFixed(6)},${latitude.toFixed(6)}`;

const steps = [30, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001] as const;

export function toLines(from: number, to: number, most: number): { readonly degree: number; readonly text: string }[] {
  const step = steps.findLast((width) => (to - from) / width <= most) ?? steps[0];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step)));
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.max(0, Math.floor(to / step) - first + 1) }, (_, place) => {
    const degree = (first + place) * step;
    return { degree, text: `${degree.toFixed(decimals)}°` };
  });
}
