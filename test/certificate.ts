import { generateKeyPair, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isIPv4 } from "node:net";
import { promisify } from "node:util";

// Certificates are made anew for each run, since a key in the repository would be public. Node cannot create
// certificates, so this file writes the X.509 fields that the tests need.

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const bytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}
const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, ...parts);
const objectId = (hex: string): Buffer => element(0x06, Buffer.from(hex, "hex"));
const bits = (content: Buffer): Buffer => element(0x03, Buffer.from([0]), content);
const time = (date: Date): Buffer =>
  element(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, "").slice(2, 14)}Z`));

const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"));
const commonName = (name: string): Buffer =>
  sequence(element(0x31, sequence(objectId("550403"), element(0x0c, Buffer.from(name)))));
const subjectAltName = (names: readonly string[]): Buffer => {
  const all = names.map((name) =>
    isIPv4(name) ? element(0x87, Buffer.from(name.split(".").map(Number))) : element(0x82, Buffer.from(name)),
  );
  return sequence(objectId("551d11"), element(0x04, sequence(...all)));
};
const dayMs = 86_400_000;

interface Signing {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly serial: string;
  readonly algorithm: Buffer;
}

/** The certificate is valid from a day ago until tomorrow. */
function signOwn(
  { privateKey, publicKey, serial, algorithm }: Signing,
  version: Buffer[],
  extensions: Buffer[],
): string {
  const name = commonName("Quintet test");
  const content = sequence(
    ...version,
    element(0x02, Buffer.from(serial, "hex")),
    algorithm,
    name,
    sequence(time(new Date(Date.now() - dayMs)), time(new Date(Date.now() + dayMs))),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    ...extensions,
  );
  const der = sequence(content, algorithm, bits(sign("sha256", content, privateKey)));
  const lines = der.toString("base64").replaceAll(/.{64}/g, "$&\n").trim();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

export function makeCertificate(...names: readonly string[]): TestCertificate {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const third = element(0xa0, element(0x02, Buffer.from([2])));
  const extensions = element(0xa3, sequence(subjectAltName(names)));
  const cert = signOwn({ ...keys, serial: "01", algorithm: ecdsaWithSha256 }, [third], [extensions]);
  return { cert, key: keys.privateKey.export({ type: "pkcs8", format: "pem" }) };
}

export interface SigningCertificate {
  readonly cert: string;
  readonly serial: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const rsaWithSha256 = sequence(objectId("2a864886f70d01010b"), element(0x05));

export async function makeSigningCertificate(serial: string): Promise<SigningCertificate> {
  const keys = await promisify(generateKeyPair)("rsa", { modulusLength: 2048 });
  return { cert: signOwn({ ...keys, serial, algorithm: rsaWithSha256 }, [], []), serial, ...keys };
}

type Three = [SigningCertificate, SigningCertificate, SigningCertificate];
const kept = new Map<string, Promise<Three>>();

/** Certificates are made once in a process, since making three keys takes half a second. */
export const openCertificates = (...serials: [string, string, string]): Promise<Three> =>
  kept.getOrInsertComputed(serials.join(), () => Promise.all(serials.map(makeSigningCertificate)) as Promise<Three>);
