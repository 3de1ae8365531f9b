/** 1 and 2 are the campuses, 0 is off-site. */
export type Place = 0 | 1 | 2;

interface Choice {
  readonly campus: Place;
  readonly keyword?: string;
}
export type Choices = ReadonlyMap<string, Choice>;

interface Placed {
  readonly campus: Place;
  readonly keyword: string;
  readonly isChosen: boolean;
  /** "outside": the keyword is not in the address; "clash": it is also in an address assigned to another place. */
  readonly fault?: "outside" | "clash";
}

export function placeAddresses(addresses: readonly string[], choices: Choices): ReadonlyMap<string, Placed> {
  const chosen = new Map([...choices].map(([address, choice]) => [address, placeOne(address, choice, choices)]));
  const sound = [...chosen.values()].filter(({ fault }) => !fault);
  const met = addresses.flatMap((address) => {
    const by = chosen.has(address) ? undefined : sound.find(({ keyword }) => holds(address, keyword));
    return by ? [[address, { ...by, isChosen: false }] as const] : [];
  });
  return new Map([...chosen, ...met]);
}

function placeOne(address: string, { campus, keyword: typed }: Choice, choices: Choices): Placed {
  const others = [...choices].filter(([, other]) => other.campus !== campus).map(([other]) => other);
  const clashes = (keyword: string) => others.some((other) => holds(other, keyword));
  const whole = address.trim().slice(-mostCharacters);
  const short = shorten(address) ?? whole;
  const keyword = typed?.trim() ?? (clashes(short) ? whole : short);
  const fault = keyword === "" || !holds(address, keyword) ? "outside" : clashes(keyword) ? "clash" : undefined;
  return { campus, keyword, isChosen: true, ...(fault && { fault }) };
}

export const mostCharacters = 64;

/** Returns the part of the address that most likely identifies the place, without device and network numbers. */
const shorten = (address: string): string | undefined =>
  address
    .replaceAll(/[（(【[][^）)】\]\p{Script=Han}]*[）)】\]]/gu, " ")
    .split(/[：:，,；;|_\s]/)
    .map((part) => part.trim().slice(0, mostCharacters))
    .find((part) => part.length > 1 && !/^[\dA-F:-]+$/i.test(part));

const holds = (address: string, keyword: string): boolean => address.toLowerCase().includes(keyword.toLowerCase());
