/** A value that is not set is "". */
export interface Institution {
  readonly name: string;
  readonly nameEn: string;
  readonly color: string;
  readonly logo: string;
}

/** The values that the server writes into the page. */
export interface Place {
  /** The prefix of every path, such as "/quintet"; "" without one. */
  readonly base: string;
  /** The page's own path below the prefix, such as "/console/". */
  readonly page: string;
  readonly publicUrl: string;
  readonly services: readonly string[];
  readonly timeZone: string;
  readonly maxUploadMb: number;
  readonly maxWorkbookMb: number;
  readonly institution: Institution;
  readonly told?: unknown;
}

const meta = document.querySelector<HTMLMetaElement>('meta[name="quintet"]');

export const place: Place = JSON.parse(meta?.content || "{}") as Place;

/** Browsers hide the CSP nonce from `getAttribute`; scripts can read it only as a property. */
export const nonce = meta?.nonce ?? "";

export const toOutsideAddress = (path: string): string =>
  new URL((place.publicUrl === "" ? place.base : withBase(place.publicUrl)) + path, location.href).href;

/** PUBLIC_URL may already end with BASE_PATH, which must not be repeated. */
function withBase(publicUrl: string): string {
  const address = publicUrl.replace(/\/$/, "");
  return address.endsWith(place.base) ? address : address + place.base;
}
