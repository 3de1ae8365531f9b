import { isIP } from "node:net";

// Who calls, as an address. Some proxies write X-Forwarded-For with the client's port, which is another for each
// connection: with it every connection would count as a client of its own.

/** An address without the port and the brackets that a proxy wrote with it; what is no address as it stands. */
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
  if (isIP(ip) === 0) return "unknown";
  if (/^::ffff:[\d.]+$/i.test(ip)) return ip.slice("::ffff:".length);
  if (!ip.includes(":")) return ip;
  const [head = "", tail = ""] = (ip.split("%")[0] ?? "").split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const missing = ip.includes("::") ? Math.max(0, 8 - left.length - right.length) : 0;
  const groups = [...left, ...Array<string>(missing).fill("0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group || "0", 16).toString(16))
    .join(":")}::/64`;
}
