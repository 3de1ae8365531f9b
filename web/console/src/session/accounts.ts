import { platform } from "#shared/api/platform.ts";
import { callWith } from "#console/call/call.ts";
import { sendHeld } from "#console/call/held.ts";
import type { Operation } from "#shared/call/operation.ts";
import { platformFirst, sections } from "#console/sections.ts";
import { type Session, setSession } from "#console/session/session.ts";

export const accounts: readonly string[] = platformFirst
  .filter((section) => section.accounts)
  .map(({ service }) => service);

/** These operations have the same request bodies for every kind of account, so the platform's types fit all kinds. */
type AccountOperations = Pick<typeof platform, "logout" | "publicKey" | "updatePassword">;

export const accountOperations = (account: string): AccountOperations =>
  (sections.find(({ service }) => service === account)?.operations ?? platform) as AccountOperations;

export interface Credentials {
  /** The kind of account, where it is known. */
  readonly account?: string | undefined;
  readonly userName: string;
  readonly password: string;
}

/**
 * Signs in for every tab. If steps are pending, returns the session instead, which `setSession` opens after the steps.
 * @throws {CallFailure}
 */
export async function signIn(credentials: Credentials): Promise<Pending | undefined> {
  const { token } = await callWith(platform.signIn, { body: { ...credentials, secondFactor: "later" } });
  return openSession(token);
}

export async function signOut({ service, token, endAddress }: Session): Promise<void> {
  await sendHeld();
  await callWith(accountOperations(service).logout as Operation, {}, { token }).catch(() => undefined);
  setSession(null);
  // On a shared computer the campus session would sign the next user in as the same person.
  if (endAddress) window.location.assign(endAddress);
}

/** A session that is not open yet, since it needs a new password or a second factor. */
export interface Pending {
  readonly session: Session;
  readonly mustChoosePassword: boolean;
}

export async function openSession(token: string, how: Pick<Session, "endAddress"> = {}): Promise<Pending | undefined> {
  const { secondFactor, mustChoosePassword, news: _, ...own } = await callWith(platform.readOwnSession, {}, { token });
  const session = { ...own, ...how, token };
  if (mustChoosePassword || secondFactor === "enrol" || secondFactor === "show") return { session, mustChoosePassword };
  setSession(session);
  return undefined;
}
