export interface Palette {
  readonly hue: number;
  readonly isLight: boolean;
}

// The API stores no colours of a theme, so the screen and the console both derive them from its name.
const hues: readonly (readonly [RegExp, number])[] = [
  [/红|党|国庆|节|喜|火|消防|red/i, 4],
  [/橙|秋|演练|预警|orange/i, 28],
  [/金|黄|gold|yellow/i, 42],
  [/绿|生态|春|环保|green/i, 150],
  [/青|水|汛|科技|湖|江|cyan|teal/i, 190],
  [/蓝|海|天空|夏|日常|blue/i, 214],
  [/紫|purple|violet/i, 272],
  [/粉|樱|pink/i, 335],
];

const light = /浅|白|日间|明亮|light|day|white/i;

/** The first colour word in the name determines the hue; without one, the hue is a hash of the name. */
export function toPalette(themeName: string): Palette {
  const said = hues
    .map(([pattern, hue]) => ({ hue, place: themeName.search(pattern) }))
    .filter(({ place }) => place >= 0)
    .toSorted((one, other) => one.place - other.place);
  return { hue: said[0]?.hue ?? hash(themeName) % 360, isLight: light.test(themeName) };
}

function hash(text: string): number {
  let sum = 7;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 100_003;
  return sum;
}
