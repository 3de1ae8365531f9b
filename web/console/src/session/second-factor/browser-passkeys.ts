import { loadCode } from "#console/call/code.ts";
import { callWith } from "#console/call/call.ts";
import { platform } from "#shared/api/platform.ts";
import type { Data, Given } from "#shared/call/operation.ts";
import type { FactorEndpoints } from "#platform/accounts/second-factor/contract.ts";

const loadLibrary = () => import("@simplewebauthn/browser");

/** WebAuthn needs a host name instead of an IP address, and HTTPS unless the host is localhost. */
export const hasPasskeys = (): boolean =>
  isSecureContext && "PublicKeyCredential" in globalThis && !/^(?:[\d.]+|\[.*\])$/.test(location.hostname);

/** The browser returned no passkey; `isKnown` if the device already has one for the account. */
export class PasskeyStopped extends Error {
  readonly isKnown: boolean;
  constructor(cause: unknown) {
    super("no passkey", { cause });
    this.isKnown = cause instanceof Error && cause.name === "InvalidStateError";
  }
}

const stopped = (cause: unknown): never => {
  throw new PasskeyStopped(cause);
};

export type TokenOption = { readonly token?: string };

export async function addPasskey(name: string, option: TokenOption): Promise<Data<FactorEndpoints["addPasskey"]>> {
  const { startRegistration } = await loadCode(loadLibrary);
  const options = await callWith(platform.beginPasskey, {}, option);
  const response = await startRegistration({ optionsJSON: options }).catch(stopped);
  const body = { name, response } as unknown as Given<FactorEndpoints["addPasskey"]>["body"];
  return callWith(platform.addPasskey, { body }, option);
}

export async function showPasskey(option: TokenOption): Promise<void> {
  const { startAuthentication } = await loadCode(loadLibrary);
  const options = await callWith(platform.beginShowPasskey, {}, option);
  const response = await startAuthentication({ optionsJSON: options }).catch(stopped);
  const body = { response } as unknown as Given<FactorEndpoints["showPasskey"]>["body"];
  await callWith(platform.showPasskey, { body }, option);
}
