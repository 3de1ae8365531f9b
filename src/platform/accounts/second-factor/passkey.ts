import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import { explain } from "#platform/contract/problem.ts";
import type { PasskeyCreated, PasskeyShown } from "./contract.ts";
import type { NewPasskey, Passkey } from "./store.ts";

// Loaded when the first passkey comes: its certificate formats cost 300 ms and 29 MB, which most processes never need.
const loadLibrary = () => import("@simplewebauthn/server");

/** Whose passkeys these are, as browsers see it: the host of the page, and its origin. */
export interface Place {
  readonly rpId: string;
  readonly origin: string;
}

/**
 * By PUBLIC_URL, or else by the call's own host. A page of another host that passes calls on to us does not get in by
 * that: a passkey is found by the host for which it was made, and a browser shows it to no other.
 * @throws {Problem} notAllowedNow where the host is an address in digits, for which browsers have no passkeys
 */
export function toPlace(publicUrl: string | undefined, request: Pick<FastifyRequest, "protocol" | "host">): Place {
  const { hostname, origin } = new URL(publicUrl ?? `${request.protocol}://${request.host}`);
  if (isIP(hostname.replaceAll(/^\[|\]$/g, "")))
    throw explain(
      "notAllowedNow",
      "通行密钥需要域名，请不要用 IP 地址访问",
      "passkeys need a host with a name, not an address in digits",
    );
  return { rpId: hostname, origin };
}

export const makeChallenge = (): string => randomBytes(32).toString("base64url");

export async function readNew(
  { response, name }: PasskeyCreated,
  { rpId, origin }: Place,
  challenge: string,
): Promise<NewPasskey | { readonly why: string }> {
  const { verifyRegistrationResponse } = await loadLibrary();
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...response, clientExtensionResults: {}, response: { ...response.response, transports: [] } },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: false,
    });
    if (!registrationInfo) return { why: "not verified" };
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    const transports = response.response.transports ?? [];
    return { name, rpId, credentialId, publicKey: Buffer.from(publicKey), transports, counter };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

/** What the passkey counts by now, when its signature holds. */
export async function readShown(
  { response }: PasskeyShown,
  { rpId, origin }: Place,
  { challenge, passkey }: { challenge: string; passkey: Passkey },
): Promise<{ readonly counter: number } | { readonly why: string }> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { userHandle: _, ...signed } = response.response;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...response, response: signed, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      // Its counter is judged where it is kept, since two may come at once.
      credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
      requireUserVerification: false,
    });
    return verified ? { counter: authenticationInfo.newCounter } : { why: "not verified" };
  } catch (error) {
    return { why: (error as Error).message };
  }
}

export const describePasskey = ({ credentialId, transports }: Passkey) => ({
  id: credentialId,
  type: "public-key" as const,
  transports: [...transports],
});
