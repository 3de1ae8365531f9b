import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { compileNetworks } from "#platform/contract/networks.ts";

// Which addresses a request may go to whose target somebody has named. IPv6 addresses that carry an IPv4 address in them are judged by both.

/** Refused whatever is allowed: what belongs to the machine or the link, metadata services, and what is nobody's. */
const neverAllowed = compileNetworks([
  "0.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "240.0.0.0/4",
  // metadata outside the link-local network: Alibaba, Azure, Oracle, AWS
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

/** A test of whether a request may go to the address; what is no address is refused. */
export function openAddressRule(allowedNetworks: readonly string[]): AddressRule {
  const isListed = compileNetworks(allowedNetworks);
  // Neither private, shared, for documentation nor loopback; of IPv6 the routed part alone.
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

/** The address itself, and the IPv4 address in it: where it leads once it has left the machine. */
function listForms(address: string): string[] {
  const bare = address.replace(/%.*$/, "");
  if (isIP(bare) !== 6) return isIP(bare) === 4 ? [bare] : [];
  const groups = ipaddr.IPv6.parse(bare).parts;
  const inner = findEmbedded(groups);
  if (inner === undefined) return [bare];
  // Mapped, translated and compatible addresses are nothing but the IPv4 address; of 6to4 both count.
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
 * What can be said of a target without asking anybody: its form, its scheme, and an address that it names itself, in any
 * spelling. A name is judged each time when a connection is made.
 */
export function checkTarget(url: string, allowedNetworks: readonly string[]) {
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
