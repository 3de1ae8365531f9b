import { convertPosition, type Datum, type Position } from "#platform/contract/datum.ts";

export const navigationApps = ["phone", "amap"] as const;
export type NavigationApp = (typeof navigationApps)[number];

/** What kind of device it is, as far as it matters for what its own maps answer to. */
export type Device = "apple" | "android" | "other";

export function tellDevice({ userAgent }: Pick<Navigator, "userAgent">): Device {
  if (/iPhone|iPad|iPod|Macintosh/.test(userAgent)) return "apple";
  return /Android/.test(userAgent) ? "android" : "other";
}

/** Messaging platforms open pages themselves and let no other app be called by them, but for a page that does. */
export const chooseApp = ({ userAgent }: Pick<Navigator, "userAgent">): NavigationApp =>
  /MicroMessenger/.test(userAgent) || tellDevice({ userAgent }) === "other" ? "amap" : "phone";

interface Destination {
  readonly name: string;
  readonly at: Position;
}

/** An address that begins the way there on foot, in the coordinates that whoever opens it reads. */
export function toNavigation(app: NavigationApp, device: Device, { name, at }: Destination, datum: Datum): string {
  if (app === "amap" || device === "other") return toAmap(name, convertPosition(at, datum, "gcj02"));
  // Apple draws China on maps that are moved, and takes what it is given for a place on them.
  if (device === "apple") return toAppleMaps(name, convertPosition(at, datum, "gcj02"));
  // A geo address is of WGS 84 (RFC 5870), wherever it is.
  return toGeo(name, convertPosition(at, datum, "wgs84"));
}

/** A page for every device, which calls the app where there is one. */
const toAmap = (name: string, [longitude, latitude]: Position): string =>
  `https://uri.amap.com/navigation?to=${write(longitude)},${write(latitude)},${encode(name.replaceAll(",", " "))}&mode=walk&coordinate=gaode&callnative=1`;

const toAppleMaps = (name: string, [longitude, latitude]: Position): string =>
  `https://maps.apple.com/?daddr=${write(latitude)},${write(longitude)}&q=${encode(name)}&dirflg=w`;

function toGeo(name: string, [longitude, latitude]: Position): string {
  const place = `${write(latitude)},${write(longitude)}`;
  return `geo:${place}?q=${place}(${encode(name)})`;
}

/** Six digits are a tenth of a metre. */
const write = (degrees: number): string => degrees.toFixed(6);

/** Brackets end a label of a geo address, and encodeURIComponent leaves them. */
const encode = (name: string): string =>
  encodeURIComponent(name).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
