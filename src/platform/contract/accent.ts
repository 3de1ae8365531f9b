// The formulas for luminance and contrast are those of WCAG.

const channels = (hex: string): readonly number[] =>
  [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));

const toHex = (values: readonly number[]): string =>
  `#${values.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;

export function mixColors(first: string, second: string, share: number): string {
  const other = channels(second);
  return toHex(channels(first).map((value, index) => value + ((other[index] ?? 0) - value) * share));
}

const weights = [0.2126, 0.7152, 0.0722] as const;

function luminance(hex: string): number {
  const linear = channels(hex).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return weights.reduce((sum, weight, index) => sum + weight * (linear[index] ?? 0), 0);
}

export function contrast(first: string, second: string): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(second)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Mixes the colour with black or white until its contrast with the colour `ground` is at least `least`. */
export function makeReadable(color: string, ground: string, least: number): string {
  const towards = luminance(ground) > 0.18 ? "#000000" : "#ffffff";
  for (let share = 0; share < 1; share += 0.04) {
    const mixed = mixColors(color, towards, share);
    if (contrast(mixed, ground) >= least) return mixed;
  }
  return towards;
}

export const toAccents = (color: string) => ({
  light: makeReadable(color, "#ffffff", 5.6),
  dark: makeReadable(color, "#171a20", 6.5),
});
