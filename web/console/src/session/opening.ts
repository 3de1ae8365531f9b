import { platform } from "#shared/api/platform.ts";
import { callWith } from "#console/call/call.ts";
import { type Session, setSession } from "#console/session/session.ts";

/**
 * Opens the session in every tab; or gives it, where it has to show a second factor before `setSession` opens it.
 * @throws {CallFailure}
 */
export async function openSession(token: string, how: Pick<Session, "endAddress"> = {}): Promise<Session | undefined> {
  const { secondFactor, ...own } = await callWith(platform.readOwnSession, {}, { token });
  const session = { ...own, ...how, token };
  if (secondFactor === "enrol" || secondFactor === "show") return session;
  setSession(session);
  return undefined;
}
