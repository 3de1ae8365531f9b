import { BlockList, isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || address.includes("%") || rest.length > 0) return false;
  const width = version === 4 ? 32 : 128;
  return prefix === undefined || (/^(?:0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= width);
}

function toFamily(address: string): { plain: string; family: "ipv4" | "ipv6" } {
  const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  return { plain, family: isIP(plain) === 4 ? "ipv4" : "ipv6" };
}

/** @param networks texts that `isNetwork` accepts */
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
 * Strips the port and brackets that some proxies add to an address; otherwise every connection would count as another
 * client.
 */
export function toPlainAddress(text: string): string {
  if (isIP(text) !== 0) return text;
  const [, bracketed, dotted] = /^(?:\[([^\]]{2,})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? dotted ?? "";
  return isIP(address) === 0 ? text : address;
}

/**
 * Returns the IPv4 address, or the /64 network of an IPv6 address, because a site usually has a whole /64. Returns
 * "unknown" if the client has disconnected or the text is not an address.
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

export const isLoopback = (host: string): boolean =>
  /^(?:localhost|::1|\[::1\]|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i.test(host);
