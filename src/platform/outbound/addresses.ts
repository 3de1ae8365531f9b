import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { compileNetworks } from "#platform/contract/networks.ts";

// Requests to user-defined targets may reach only these addresses. An IPv6 address that embeds an IPv4 address is
// judged by both.

/** Local and link-local addresses, metadata services and unassigned ranges are always refused. */
const neverAllowed = compileNetworks([
  "0.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // Alibaba, Azure, Oracle and AWS have metadata services outside the link-local range.
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
  // Private, shared, documentation and loopback addresses are not public; for IPv6 only the global unicast range is.
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
  // Mapped, translated and compatible addresses are just the IPv4 address; 6to4 counts as both.
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

/** Checks the form, scheme and literal address without connecting; names are checked at each connection. */
export function checkTarget(url: string, allowedNetworks: readonly string[]) {
  if (!URL.canParse(url)) return "badUrl";
  const target = new URL(url);
  if (target.protocol !== "http:" && target.protocol !== "https:") return "badScheme";
  if (target.username !== "" || target.password !== "" || target.hostname === "") return "badUrl";
  return isRefusedLiteral(target.hostname, openAddressRule(allowedNetworks)) ? "refusedAddress" : "ok";
}

/** The URL parser has normalised decimal, octal, hexadecimal and short notations. */
export function isRefusedLiteral(hostname: string, isAllowed: AddressRule): boolean {
  const literal = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(literal) !== 0 && !isAllowed(literal);
}
