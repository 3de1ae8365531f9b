import { platform } from "#shared/api/platform.ts";
import { callWith } from "#console/call/call.ts";
import { type Session, setSession } from "#console/session/session.ts";

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
  const { secondFactor, mustChoosePassword, ...own } = await callWith(platform.readOwnSession, {}, { token });
  const session = { ...own, ...how, token };
  if (mustChoosePassword || secondFactor === "enrol" || secondFactor === "show") return { session, mustChoosePassword };
  setSession(session);
  return undefined;
}
