import { BlockList, isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** Whether the text is a network such as 10.0.0.0/8 or 2001:db8::/32, or one address. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || rest.length > 0) return false;
  const width = version === 4 ? 32 : 128;
  return prefix === undefined || (/^(?:0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= width);
}

/** The form in which BlockList tells IPv4 from IPv6; an IPv4 address inside an IPv6 one counts as what it is. */
function toFamily(address: string): { plain: string; family: "ipv4" | "ipv6" } {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  return { plain, family: isIP(plain) === 4 ? "ipv4" : "ipv6" };
}

/**
 * A test of whether an address lies in one of the networks. What is no address lies in none.
 * @param networks texts for which `isNetwork` holds
 */
export function compileNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", prefix] = network.split("/");
    const { plain, family } = toFamily(address);
    if (prefix === undefined) list.addAddress(plain, family);
    else list.addSubnet(address, Number(prefix), isIP(address) === 4 ? "ipv4" : "ipv6");
  }
  return (address) => {
    const { plain, family } = toFamily(address);
    return isIP(plain) !== 0 && list.check(plain, family);
  };
}

/**
 * An address without the port and the brackets that a proxy wrote with it; what is no address as it stands. With its port,
 * which is another for each connection, every connection would count as a client of its own.
 */
export function toPlainAddress(text: string): string {
  if (isIP(text) !== 0) return text;
  const [, bracketed, dotted] = /^(?:\[([^\]]{2,})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? dotted ?? "";
  return isIP(address) === 0 ? text : address;
}

/**
 * What limits count as one client: an IPv4 address, or the /64 of an IPv6 address, which is what one site is given.
 * "unknown" when the client had gone before its request was looked at, or a proxy names something else than an address.
 */
export function toClientAddress(text: string | undefined): string {
  const ip = toPlainAddress(text ?? "");
  if (isIPv4(ip)) return ip;
  if (isIP(ip) === 0) return "unknown";
  const address = ipaddr.process(ip);
  if (!("parts" in address)) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}

/** Whether a host, as a setting or an address names it, is this machine alone. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|::1|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i.test(host);
