import { isIP } from "node:net";
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

/** Refused unless allowed: private, shared and documentation networks, loopback, and IPv6 outside the routed part. */
const privateNetworks = compileNetworks([
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "2001::/23",
  "2001:db8::/32",
  "3fff::/20",
]);
const routed = compileNetworks(["2000::/3"]);

export type AddressRule = (address: string) => boolean;

/** A test of whether a request may go to the address; what is no address is refused. */
export function openAddressRule(allowedNetworks: readonly string[]): AddressRule {
  const isListed = compileNetworks(allowedNetworks);
  return (address) => {
    const forms = listForms(address);
    if (forms.length === 0 || forms.some(neverAllowed)) return false;
    return forms.some(isListed) || forms.every(isPublic);
  };
}

const isPublic = (address: string): boolean => !privateNetworks(address) && (isIP(address) === 4 || routed(address));

/** The address itself, and the IPv4 address in it: where it leads once it has left the machine. */
function listForms(address: string): string[] {
  if (isIP(address) === 4) return [address];
  const groups = readGroups(address);
  if (!groups) return [];
  const plain = groups.map((group) => group.toString(16)).join(":");
  const inner = findEmbedded(groups);
  if (inner === undefined) return [plain];
  // Mapped, translated and compatible addresses are nothing but the IPv4 address.
  return groups[0] === 0x2002 ? [plain, inner] : [inner];
}

function readGroups(address: string): number[] | undefined {
  const bare = address.replace(/%.*$/, "");
  if (isIP(bare) !== 6) return undefined;
  // The parser of addresses writes every spelling as hexadecimal groups.
  const written = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [front = "", back] = written.split("::");
  const read = (part: string) => (part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16)));
  const [start, end] = [read(front), read(back ?? "")];
  return [...start, ...Array<number>(8 - start.length - end.length).fill(0), ...end];
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
