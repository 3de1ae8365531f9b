import { callWith, type CallOptions } from "#console/call/call.ts";
import { loadCode } from "#console/call/code.ts";
import { accountOperations } from "#console/session/accounts.ts";
import type { Session } from "#console/session/session.ts";

export interface Passwords {
  readonly password: string;
  readonly newPassword: string;
}

// JSEncrypt and not the browser's own cryptography, which a page has over HTTPS alone: consoles run on plain HTTP inside
// many campus networks, which is why passwords are encrypted at all.
const loadCipher = () => import("jsencrypt");

/** Changes one's own password, which ends every session of the account. @throws {CallFailure} */
export async function changePassword(
  { service, accountId }: Session,
  passwords: Passwords,
  options: Pick<CallOptions, "token"> = {},
): Promise<void> {
  const { publicKey, updatePassword } = accountOperations(service);
  const [{ JSEncrypt }, key] = await Promise.all([loadCode(loadCipher), callWith(publicKey, {})]);
  const cipher = new JSEncrypt();
  cipher.setPublicKey(key);
  const encrypt = (text: string) => cipher.encrypt(text) || "";
  const body = {
    id: accountId,
    password: encrypt(passwords.password),
    newPassword: encrypt(passwords.newPassword),
  };
  await callWith(updatePassword, { body }, options);
}
