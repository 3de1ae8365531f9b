import { createPrivateKey, type KeyObject } from "node:crypto";
import { unfoldPem } from "#platform/contract/setting-types.ts";

/** The key itself. @throws when it is no RSA key, or has fewer bits. */
export function requireRsa(key: KeyObject, leastBits: number): KeyObject {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== "rsa" || bits < leastBits)
    throw new Error(`an RSA key of ${leastBits} bits or more is needed`);
  return key;
}

/** @throws when the text is no RSA private key of 1024 bits or more. */
export const readPrivateKey = (pem: string): KeyObject => requireRsa(createPrivateKey(unfoldPem(pem)), 1024);
