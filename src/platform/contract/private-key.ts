import { createPrivateKey, type KeyObject } from "node:crypto";
import { unfoldPem } from "#platform/contract/setting-types.ts";

export function requireRsa(key: KeyObject, leastBits: number): KeyObject {
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== "rsa" || bits < leastBits)
    throw new Error(`an RSA key of at least ${leastBits} bits is required`);
  return key;
}

/** @throws {Error} if the text is not an RSA private key of at least 1024 bits */
export const readPrivateKey = (pem: string): KeyObject => requireRsa(createPrivateKey(unfoldPem(pem)), 1024);
