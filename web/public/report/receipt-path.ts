import { place } from "#shared/place.ts";

/** Where a report's page is. */
export const toReceiptPath = (receipt: string): string => `${place.base}${place.page}r/${receipt}`;

/** The same for the outside: a code that is scanned, a link that is passed on. */
export const toReceiptAddress = (receipt: string): string =>
  new URL(
    place.publicUrl === "" ? toReceiptPath(receipt) : `${withBase(place.publicUrl)}${place.page}r/${receipt}`,
    location.href,
  ).href;

/** PUBLIC_URL may end with BASE_PATH, which is there once then. */
function withBase(publicUrl: string): string {
  const address = publicUrl.replace(/\/$/, "");
  return address.endsWith(place.base) ? address : address + place.base;
}
