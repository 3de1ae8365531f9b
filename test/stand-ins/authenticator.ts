import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

// A software passkey with a key pair and a counter. A test can set the counter and choose the challenge, host and
// origin, as a stolen or cloned passkey would.

const sha256 = (data: string | Buffer): Buffer => createHash("sha256").update(data).digest();
const base64url = (data: Buffer | string): string => Buffer.from(data).toString("base64url");

const userPresent = 0x01;
const hasKey = 0x40;

export interface Authenticator {
  readonly id: string;
  counter: number;
  create(options: { challenge: string; rpId: string; origin: string }): object;
  show(options: { challenge: string; rpId: string; origin: string }): object;
}

export function makeAuthenticator(): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const rawId = randomBytes(32);
  const id = base64url(rawId);
  const describe = (rpId: string, flags: number, counter: number): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count]);
  };
  const says = (type: string, challenge: string, origin: string): string =>
    JSON.stringify({ type, challenge, origin, crossOrigin: false });
  const self: Authenticator = {
    id,
    counter: 0,
    create: ({ challenge, rpId, origin }) => {
      const length = Buffer.from([0, rawId.length]);
      const authData = Buffer.concat([
        describe(rpId, userPresent | hasKey, self.counter),
        Buffer.alloc(16),
        length,
        rawId,
        toCoseKey(publicKey),
      ]);
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: base64url(says("webauthn.create", challenge, origin)),
          attestationObject: base64url(toAttestation(authData)),
          transports: ["usb"],
        },
      };
    },
    show: ({ challenge, rpId, origin }) => {
      self.counter += 1;
      const clientData = says("webauthn.get", challenge, origin);
      const authData = describe(rpId, userPresent, self.counter);
      const signature = sign("sha256", Buffer.concat([authData, sha256(clientData)]), privateKey);
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: base64url(clientData),
          authenticatorData: base64url(authData),
          signature: base64url(signature),
        },
      };
    },
  };
  return self;
}

/** The COSE key is a CBOR map of five entries: {1: 2, 3: -7, -1: 1, -2: x, -3: y}. */
function toCoseKey(key: KeyObject): Buffer {
  const { x = "", y = "" } = key.export({ format: "jwk" });
  const bytes = (text: string) => Buffer.from(text, "base64url");
  return Buffer.concat([Buffer.from("a5010203262001215820", "hex"), bytes(x), Buffer.from("225820", "hex"), bytes(y)]);
}

function toAttestation(authData: Buffer): Buffer {
  const text = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)]);
  return Buffer.concat([
    Buffer.from([0xa3]),
    text("fmt"),
    text("none"),
    text("attStmt"),
    Buffer.from([0xa0]),
    text("authData"),
    Buffer.from([0x58, authData.length]),
    authData,
  ]);
}
