import { loadCode } from "#console/call/code.ts";
import { callWith } from "#console/call/call.ts";
import { platform } from "#shared/api/platform.ts";
import type { Data, Given } from "#shared/call/operation.ts";
import type { FactorEndpoints } from "#platform/accounts/second-factor/contract.ts";

const loadLibrary = () => import("@simplewebauthn/browser");

/** Browsers have passkeys for pages of a named host alone, over HTTPS or on one's own machine. */
export const hasPasskeys = (): boolean =>
  isSecureContext && "PublicKeyCredential" in globalThis && !/^(?:[\d.]+|\[.*\])$/.test(location.hostname);

/** Why the browser gave no passkey: "known" when the device has one of the account already. */
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

/** The token of a session that is not open yet, or none for the one that is. */
export type TokenOption = { readonly token?: string };

/** Has the browser make a passkey, and adds it. @throws {PasskeyStopped} {CallFailure} */
export async function addPasskey(name: string, option: TokenOption): Promise<Data<FactorEndpoints["addPasskey"]>> {
  const { startRegistration } = await loadCode(loadLibrary);
  const options = await callWith(platform.beginPasskey, {}, option);
  const response = await startRegistration({ optionsJSON: options }).catch(stopped);
  const body = { name, response } as unknown as Given<FactorEndpoints["addPasskey"]>["body"];
  return callWith(platform.addPasskey, { body }, option);
}

/** Has the browser show a passkey. @throws {PasskeyStopped} {CallFailure} */
export async function showPasskey(option: TokenOption): Promise<void> {
  const { startAuthentication } = await loadCode(loadLibrary);
  const options = await callWith(platform.beginShowPasskey, {}, option);
  const response = await startAuthentication({ optionsJSON: options }).catch(stopped);
  const body = { response } as unknown as Given<FactorEndpoints["showPasskey"]>["body"];
  await callWith(platform.showPasskey, { body }, option);
}
