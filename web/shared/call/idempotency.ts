/** A key that no other create has. Not randomUUID, which a page has over HTTPS alone. */
export const makeKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
