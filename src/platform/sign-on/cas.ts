import type { AskProvider } from "./outside.ts";
import { readCasAnswer } from "./cas-answer.ts";
import { type Attempt, readIdentity, readName, SignOnFailure, type SignOnProvider } from "./provider.ts";

export interface CasOptions {
  /** Without a slash at its end. */
  readonly url: string;
  /** The attribute that says who somebody is; undefined: the user. */
  readonly attribute: string | undefined;
  /** The attribute that says what somebody is to be here; undefined: none counts. */
  readonly roleClaim: string | undefined;
  /** Whoever signs on proves anew who they are: CAS cannot be asked how long ago they did. */
  readonly asksAnew: boolean;
  readonly ask: AskProvider;
}

// The protocol asks for 256 at least to be taken; none that is known has more.
const ticketPattern = /^ST-[\w.:+/=-]{1,400}$/;

/** CAS 3: a ticket in the browser's hands, which the server is asked about once. */
export function openCas({ url, attribute, roleClaim, asksAnew, ask }: CasOptions): SignOnProvider {
  const at = (path: string, query: Record<string, string>) => `${url}${path}?${new URLSearchParams(query).toString()}`;
  const anew: Record<string, string> = asksAnew ? { renew: "true" } : {};
  const get = (address: string) => ask(address, { method: "GET", headers: { accept: "application/xml, text/xml" } });
  return {
    kind: "cas",
    issuer: url,
    begin: async (attempt) => at("/login", { service: toService(attempt), ...anew }),
    async finish(attempt, query) {
      const ticket = query.get("ticket") ?? "";
      if (query.get("state") !== attempt.state || query.getAll("state").length !== 1)
        throw new SignOnFailure("untrusted", "another state came back");
      if (!ticketPattern.test(ticket)) throw new SignOnFailure("refused", "no service ticket came back");
      const answer = await get(at("/p3/serviceValidate", { service: toService(attempt), ticket, ...anew }));
      if (answer.status !== 200) throw new SignOnFailure("unreachable", `HTTP ${answer.status}`);
      const { user, attributes } = readCasAnswer(await answer.text());
      const value = attribute === undefined ? user : onlyOne(attributes.get(attribute));
      const identity = readIdentity(value, attribute ?? "user");
      if (roleClaim === undefined) return { identity, factors: [] };
      const [name] = attributes.get("displayName") ?? attributes.get("cn") ?? [];
      return { identity, factors: [], name: readName(name), roles: attributes.get(roleClaim) };
    },
    findEnd: async (returnAddress) => at("/logout", { service: returnAddress }),
    async reach() {
      const { status } = await get(at("/login", {}));
      if (status >= 400) throw new SignOnFailure("unreachable", `HTTP ${status}`);
    },
  };
}

/**
 * What the ticket is for. With the state in it, since CAS itself has none: a ticket that somebody else has got for their
 * own attempt is a ticket for another service.
 */
const toService = ({ returnAddress, state }: Attempt): string =>
  `${returnAddress}?${new URLSearchParams({ state }).toString()}`;

const onlyOne = (values: readonly string[] | undefined): string | undefined =>
  values?.length === 1 ? values[0] : undefined;
