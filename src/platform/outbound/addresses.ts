import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { compileNetworks } from "#platform/contract/networks.ts";

// Requests to targets that users define may reach only addresses that these rules allow. If an IPv6 address contains an
// IPv4 address, the IPv4 address is checked.

/**
 * Unspecified, link-local, site-local, multicast and reserved addresses and the addresses of metadata services are
 * always refused.
 */
const neverAllowed = compileNetworks([
  "0.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // The metadata services of Alibaba, Azure, Oracle, AWS and Google have addresses outside the link-local range.
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "fd00:ec2::/32",
  "fd20:ce::254/128",
  "::/128",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
]);

const isRouted = compileNetworks(["2000::/3"]);

export type AddressRule = (address: string) => boolean;

export function openAddressRule(allowedNetworks: readonly string[]): AddressRule {
  const isListed = compileNetworks(allowedNetworks);
  // An IPv4 address is public unless it is in a private, shared, documentation, loopback or other special range; an
  // IPv6 address is public only in the global unicast range.
  const isPublic = (address: string): boolean => {
    const parsed = ipaddr.parse(address);
    return ["unicast", "6to4"].includes(parsed.range()) && (parsed.kind() === "ipv4" || isRouted(address));
  };
  return (address) => {
    const forms = listForms(address);
    if (forms.length === 0 || forms.some(neverAllowed)) return false;
    return forms.some(isListed) || forms.every(isPublic);
  };
}

function listForms(address: string): string[] {
  const bare = address.replace(/%.*$/, "");
  if (isIP(bare) !== 6) return isIP(bare) === 4 ? [bare] : [];
  const groups = ipaddr.IPv6.parse(bare).parts;
  const inner = findEmbedded(groups);
  if (inner === undefined) return [bare];
  // A mapped, translated or compatible IPv6 address is checked only by its IPv4 address. A 6to4 address is checked by
  // both.
  return groups[0] === 0x2002 ? [bare, inner] : [inner];
}

function findEmbedded(groups: readonly number[]): string | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups;
  const isZero = (...all: number[]) => all.every((group) => group === 0);
  if (a === 0x2002) return toDotted(b, c);
  if (a === 0x64 && b === 0xff9b && isZero(c, d, e, f)) return toDotted(g, h);
  if (!isZero(a, b, c, d)) return undefined;
  const mapped = (e === 0 && f === 0xffff) || (e === 0xffff && f === 0);
  const compatible = isZero(e, f) && g !== 0;
  return mapped || compatible ? toDotted(g, h) : undefined;
}

const toDotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");

/**
 * Checks the form, scheme and literal address of a URL without connecting. Host names are checked at each connection.
 */
export function checkTarget(url: string, allowedNetworks: readonly string[]) {
  if (!URL.canParse(url)) return "badUrl";
  const target = new URL(url);
  if (target.protocol !== "http:" && target.protocol !== "https:") return "badScheme";
  if (target.username !== "" || target.password !== "" || target.hostname === "") return "badUrl";
  return isRefusedLiteral(target.hostname, openAddressRule(allowedNetworks)) ? "refusedAddress" : "ok";
}

/** The URL parser has already normalised decimal, octal, hexadecimal and short forms of the address. */
export function isRefusedLiteral(hostname: string, isAllowed: AddressRule): boolean {
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(literal) !== 0 && !isAllowed(literal);
}
