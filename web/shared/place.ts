/** Whose installation it is; "" is not set. */
export interface Institution {
  readonly name: string;
  readonly nameEn: string;
  /** As `#rrggbb`. */
  readonly color: string;
  /** The address of a picture. */
  readonly logo: string;
}

/** What the server wrote into the page: where it is, what is served here, and limits that a form names. */
export interface Place {
  /** The prefix of every path, "" or such as "/quintet". */
  readonly base: string;
  /** Where the page itself is, below the prefix, such as "/console/". */
  readonly page: string;
  /** What links to the outside begin with, "" when they are paths. */
  readonly publicUrl: string;
  readonly services: readonly string[];
  readonly timeZone: string;
  readonly maxUploadMb: number;
  readonly maxWorkbookMb: number;
  readonly institution: Institution;
  /** What the service told its page, which knows what that is. */
  readonly told?: unknown;
}

const meta = document.querySelector<HTMLMetaElement>('meta[name="quintet"]');

export const place: Place = JSON.parse(meta?.content || "{}") as Place;

/** The nonce that the page's policy knows, where it has one; a browser shows it to scripts as a property alone. */
export const nonce = meta?.nonce ?? "";

/** The address of a page below the prefix, as others reach it. */
export const toOutsideAddress = (path: string): string =>
  new URL((place.publicUrl === "" ? place.base : withBase(place.publicUrl)) + path, location.href).href;

/** PUBLIC_URL may end with BASE_PATH, which is there once then. */
function withBase(publicUrl: string): string {
  const address = publicUrl.replace(/\/$/, "");
  return address.endsWith(place.base) ? address : address + place.base;
}
