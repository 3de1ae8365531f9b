import { isIP } from "node:net";
import { type AddressRule, openAddressRule } from "./addresses.ts";

export type TargetVerdict = "ok" | "badUrl" | "badScheme" | "refusedAddress";

/**
 * What can be said of a target without asking anybody: its form, its scheme, and an address that it names itself, in any
 * spelling. A name is judged each time when a connection is made.
 */
export function checkTarget(url: string, allowedNetworks: readonly string[]): TargetVerdict {
  if (!URL.canParse(url)) return "badUrl";
  const target = new URL(url);
  if (target.protocol !== "http:" && target.protocol !== "https:") return "badScheme";
  if (target.username !== "" || target.password !== "" || target.hostname === "") return "badUrl";
  return isRefusedLiteral(target.hostname, openAddressRule(allowedNetworks)) ? "refusedAddress" : "ok";
}

/** The parser has turned decimal, octal, hexadecimal and short spellings into the plain one by now. */
export function isRefusedLiteral(hostname: string, isAllowed: AddressRule): boolean {
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(literal) !== 0 && !isAllowed(literal);
}
