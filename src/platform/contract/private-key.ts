import { createPrivateKey, type KeyObject } from "node:crypto";
import { unfoldPem } from "#platform/contract/setting-types.ts";

const leastBits = 1024;

/** @throws when the text is no RSA private key of 1024 bits or more. */
export function readPrivateKey(pem: string): KeyObject {
  const key = createPrivateKey(unfoldPem(pem));
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== "rsa" || bits < leastBits) throw new Error("an RSA key of 1024 bits or more is needed");
  return key;
}
