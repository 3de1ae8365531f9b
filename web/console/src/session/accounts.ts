import { diseaseCommand } from "#console/api/disease-command.ts";
import { platform } from "#console/api/platform.ts";
import { reporting } from "#console/api/reporting.ts";
import { tuitionPayment } from "#console/api/tuition-payment.ts";
import { callWith } from "#console/call/call.ts";
import type { Operation } from "#console/call/operation.ts";
import { place } from "#console/place.ts";
import { type Session, setSession } from "#console/session/session.ts";

type Account = Session["service"];
type AccountOperations = Pick<typeof platform, "login" | "logout" | "publicKey" | "updatePassword">;

// Every login takes the same body and gives a token; what else it gives, the console asks the platform for.
const asAccount = (operations: Record<keyof AccountOperations, unknown>): AccountOperations =>
  operations as AccountOperations;

/** Where one can sign in; attendance and the push relay have no accounts of their own. */
const operations: Partial<Record<Account, AccountOperations>> = {
  platform,
  reporting: asAccount(reporting),
  "disease-command": asAccount(diseaseCommand),
  "tuition-payment": asAccount(tuitionPayment),
};

/** The accounts that can sign in here: operators, and the administrators of the services that are served. */
export const accounts = (Object.keys(operations) as Account[]).filter(
  (name) => name === "platform" || place.services.some((service) => service === name),
);

export const accountOperations = (account: Account): AccountOperations => operations[account] ?? platform;

export interface Credentials {
  readonly account: Account;
  readonly userName: string;
  readonly password: string;
}

/** Signs in, in every tab. @throws {CallFailure} */
export async function signIn({ account, userName, password }: Credentials): Promise<void> {
  const { token } = await callWith(accountOperations(account).login, { body: { userName, password } });
  const own = await callWith(platform.readOwnSession, {}, { token });
  setSession({ ...own, token });
}

/** Signs out, in every tab; a server that cannot be reached does not keep anybody signed in here. */
export async function signOut({ service, token }: Session): Promise<void> {
  await callWith(accountOperations(service).logout as Operation, {}, { token }).catch(() => undefined);
  setSession(null);
}
