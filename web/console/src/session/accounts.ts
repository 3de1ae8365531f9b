import { platform } from "#shared/api/platform.ts";
import { callWith } from "#console/call/call.ts";
import { sendHeld } from "#console/call/held.ts";
import type { Operation } from "#shared/call/operation.ts";
import { platformFirst, sections } from "#console/sections.ts";
import { type Session, setSession } from "#console/session/session.ts";

/** The accounts that can sign in here: operators, then the administrators of the services that are served. */
export const accounts: readonly string[] = platformFirst
  .filter((section) => section.accounts)
  .map(({ service }) => service);

/** The operations of every kind of account; their bodies are the same, so they have the types of the platform's. */
type AccountOperations = Pick<typeof platform, "login" | "logout" | "publicKey" | "updatePassword">;

// Every login takes the same body and gives a token; what else it gives, the console asks the platform for.
export const accountOperations = (account: string): AccountOperations =>
  (sections.find(({ service }) => service === account)?.operations ?? platform) as AccountOperations;

export interface Credentials {
  readonly account: string;
  readonly userName: string;
  readonly password: string;
}

/**
 * Signs in, in every tab; or gives the session for which something has to be done before `setSession` opens it.
 * @throws {CallFailure}
 */
export async function signIn({ account, userName, password }: Credentials): Promise<Pending | undefined> {
  const body = { userName, password, secondFactor: "later" } as const;
  const { token } = await callWith(accountOperations(account).login, { body });
  return openSession(token);
}

/** Signs out, in every tab; a server that cannot be reached does not keep anybody signed in here. */
export async function signOut({ service, token, endAddress }: Session): Promise<void> {
  await sendHeld();
  await callWith(accountOperations(service).logout as Operation, {}, { token }).catch(() => undefined);
  setSession(null);
  // On a machine that others use too, the campus would let the next one in as the same person.
  if (endAddress) window.location.assign(endAddress);
}

/** A session that is not open yet: a password has to be chosen, or else a second factor shown. */
export interface Pending {
  readonly session: Session;
  readonly mustChoosePassword: boolean;
}

/**
 * Opens the session in every tab; or gives it, where something has to be done before `setSession` opens it.
 * @throws {CallFailure}
 */
export async function openSession(token: string, how: Pick<Session, "endAddress"> = {}): Promise<Pending | undefined> {
  const { secondFactor, mustChoosePassword, news: _, ...own } = await callWith(platform.readOwnSession, {}, { token });
  const session = { ...own, ...how, token };
  if (mustChoosePassword || secondFactor === "enrol" || secondFactor === "show") return { session, mustChoosePassword };
  setSession(session);
  return undefined;
}
