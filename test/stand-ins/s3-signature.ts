import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

// Verifies Signature Version 4 according to its specification, without the client's library.

export interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

const shape =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
const mostSkewMs = 15 * 60_000;

interface Claim {
  readonly day: string;
  readonly time: string;
  readonly signature: string;
}

function isSigned(canonical: string, { day, time, signature }: Claim, keys: Keys): boolean {
  const scope = `${day}/${keys.region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = hmac(hmac(hmac(hmac(`AWS4${keys.secretKey}`, day), keys.region), "s3"), "aws4_request");
  const own = hmac(key, text);
  const given = Buffer.from(signature, "hex");
  return given.length === own.length && timingSafeEqual(own, given);
}

export function findSignatureFault(request: IncomingMessage, body: Buffer, keys: Keys): string | undefined {
  const [, accessKey, day = "", region, signed = "", signature = ""] =
    shape.exec(request.headers.authorization ?? "") ?? [];
  if (accessKey === undefined) return "AccessDenied";
  if (accessKey !== keys.accessKey) return "InvalidAccessKeyId";
  if (region !== keys.region) return "AuthorizationHeaderMalformed";
  const time = readHeader(request, "x-amz-date");
  if (!time.startsWith(day) || Math.abs(Date.now() - toMs(time)) > mostSkewMs) return "RequestTimeTooSkewed";
  const names = signed.split(";");
  if (!["host", "x-amz-date", "x-amz-content-sha256"].every((name) => names.includes(name))) return "AccessDenied";
  const canonical = toCanonical(request, names, readHeader(request, "x-amz-content-sha256"));
  if (!isSigned(canonical, { day, time, signature }, keys)) return "SignatureDoesNotMatch";
  const md5 = createHash("md5").update(body).digest("base64");
  // A PUT without a checksum is refused as well, since the client always sends one.
  return request.method === "PUT" && readHeader(request, "content-md5") !== md5 ? "BadDigest" : undefined;
}

function toCanonical(request: IncomingMessage, names: readonly string[], payload: string): string {
  const url = new URL(request.url ?? "/", "http://s3");
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
  const path = decodeURIComponent(url.pathname).split("/").map(encode).join("/");
  const headers = names.map((name) => `${name}:${readHeader(request, name).trim().replace(/\s+/g, " ")}\n`).join("");
  return [request.method, path, query, headers, names.join(";"), payload].join("\n");
}

const readHeader = ({ headers }: IncomingMessage, name: string): string => [headers[name] ?? ""].flat().join(",");

const toMs = (time: string): number =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
