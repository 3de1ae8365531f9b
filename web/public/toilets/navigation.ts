import { convertPosition, type Datum, type Position } from "#platform/contract/datum.ts";

export const navigationApps = ["phone", "amap"] as const;
export type NavigationApp = (typeof navigationApps)[number];

export type Device = "apple" | "android" | "other";

export function tellDevice({ userAgent }: Pick<Navigator, "userAgent">): Device {
  if (/iPhone|iPad|iPod|Macintosh/.test(userAgent)) return "apple";
  return /Android/.test(userAgent) ? "android" : "other";
}

/** WeChat blocks links to other apps, and desktops may have no map app, so both open Amap's web page. */
export const chooseApp = ({ userAgent }: Pick<Navigator, "userAgent">): NavigationApp =>
  /MicroMessenger/.test(userAgent) || tellDevice({ userAgent }) === "other" ? "amap" : "phone";

interface Destination {
  readonly name: string;
  readonly at: Position;
}

export function toNavigation(app: NavigationApp, device: Device, { name, at }: Destination, datum: Datum): string {
  if (app === "amap" || device === "other") return toAmap(name, convertPosition(at, datum, "gcj02"));
  // Apple Maps uses GCJ-02 in China.
  if (device === "apple") return toAppleMaps(name, convertPosition(at, datum, "gcj02"));
  // A geo URI is in WGS 84 (RFC 5870).
  return toGeo(name, convertPosition(at, datum, "wgs84"));
}

const toAmap = (name: string, [longitude, latitude]: Position): string =>
  `https://uri.amap.com/navigation?to=${write(longitude)},${write(latitude)},${encode(name.replaceAll(",", " "))}&mode=walk&coordinate=gaode&callnative=1`;

const toAppleMaps = (name: string, [longitude, latitude]: Position): string =>
  `https://maps.apple.com/?daddr=${write(latitude)},${write(longitude)}&q=${encode(name)}&dirflg=w`;

function toGeo(name: string, [longitude, latitude]: Position): string {
  const place = `${write(latitude)},${write(longitude)}`;
  return `geo:${place}?q=${place}(${encode(name)})`;
}

const write = (degrees: number): string => degrees.toFixed(6);

/** A geo URI's label ends at a parenthesis, which encodeURIComponent does not escape. */
const encode = (name: string): string =>
  encodeURIComponent(name).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
