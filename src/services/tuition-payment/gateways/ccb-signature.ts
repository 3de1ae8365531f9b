import { createHash, type KeyObject, verify } from "node:crypto";

// CCB's page takes an order with an MD5 over its fields and the end of the counter's public key, which does not travel
// along; its notices are signed with the key that belongs to it.

const secretDigits = 30;

/** @param fields in the order of the bank's document: it is part of what is signed */
export function sealForm(fields: Readonly<Record<string, string>>, publicKeyHex: string): string {
  const entries = Object.entries(fields);
  const place = entries.findIndex(([name]) => name === "TYPE") + 1;
  entries.splice(place, 0, ["PUB", publicKeyHex.slice(-secretDigits)]);
  return createHash("md5").update(joinFields(entries)).digest("hex");
}

const joinFields = (entries: readonly (readonly [string, string])[]): string =>
  entries.map(([name, value]) => `${name}=${value}`).join("&");

/**
 * The fields of a notice whose SIGN covers all before it, undefined when it does not. What is signed are the decoded
 * values, so one with `&` or `=` in it, or a name that comes twice, could be read in two ways: such are none.
 */
export function readSignedFields(body: string, key: KeyObject): ReadonlyMap<string, string> | undefined {
  const entries = [...new URLSearchParams(body)];
  const [last, signature = ""] = entries.pop() ?? [];
  const fields = new Map(entries);
  const isPlain = entries.every(([name, value]) => !/[&=]/.test(name + value));
  if (last !== "SIGN" || !/^[0-9a-f]+$/i.test(signature) || !isPlain || fields.size !== entries.length)
    return undefined;
  const isSigned = verify("md5", Buffer.from(joinFields(entries)), key, Buffer.from(signature, "hex"));
  return isSigned ? fields : undefined;
}
