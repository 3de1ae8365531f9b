/** The institution; "" is not set. */
export interface Institution {
  readonly name: string;
  readonly nameEn: string;
  /** As `#rrggbb`. */
  readonly color: string;
  readonly logo: string;
}

/** The server's bootstrap data in the page: its address, its services, and limits shown in forms. */
export interface Place {
  /** The prefix of every path: "" or such as "/quintet". */
  readonly base: string;
  /** The page's own path below the prefix, such as "/console/". */
  readonly page: string;
  /** The base of public links; "" for relative paths. */
  readonly publicUrl: string;
  readonly services: readonly string[];
  readonly timeZone: string;
  readonly maxUploadMb: number;
  readonly maxWorkbookMb: number;
  readonly institution: Institution;
  /** The service's data for its page, which knows the type. */
  readonly told?: unknown;
}

const meta = document.querySelector<HTMLMetaElement>('meta[name="quintet"]');

export const place: Place = JSON.parse(meta?.content || "{}") as Place;

/** The CSP nonce, if any; scripts can read it only as a property. */
export const nonce = meta?.nonce ?? "";

/** The absolute public address of a path below the prefix. */
export const toOutsideAddress = (path: string): string =>
  new URL((place.publicUrl === "" ? place.base : withBase(place.publicUrl)) + path, location.href).href;

/** PUBLIC_URL may already end with BASE_PATH, which must not be repeated. */
function withBase(publicUrl: string): string {
  const address = publicUrl.replace(/\/$/, "");
  return address.endsWith(place.base) ? address : address + place.base;
}
