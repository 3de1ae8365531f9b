import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { askProvider, type Attempt, readIdentity, readName, SignOnFailure, type SignOnProvider } from "./provider.ts";
import type { ProviderSettings } from "./settings.ts";

// The CAS protocol recommends that clients accept tickets of 256 characters; the pattern allows longer ones.
const ticketPattern = /^ST-[\w.:+/=-]{1,400}$/;

export function openCas(settings: ProviderSettings & { readonly CAS_URL: string }): SignOnProvider {
  const { CAS_URL: url, CAS_ATTRIBUTE: attribute, OUTSIDE_TIMEOUT_MS: timeoutMs } = settings;
  const roleClaim = settings.SIGN_ON_ROLES?.claim;
  const at = (path: string, query: Record<string, string>) => `${url}${path}?${new URLSearchParams(query).toString()}`;
  // CAS does not report when a user authenticated, so if a maximum age is set, CAS must ask for the password every
  // time.
  const anew: Record<string, string> = settings.SIGN_ON_FRESH_MINUTES > 0 ? { renew: "true" } : {};
  const asked = { headers: { accept: "application/xml, text/xml" }, timeoutMs };
  return {
    kind: "cas",
    issuer: url,
    begin: async (attempt) => at("/login", { service: toService(attempt), ...anew }),
    async finish(attempt, query) {
      const ticket = query.get("ticket") ?? "";
      if (query.get("state") !== attempt.state || query.getAll("state").length !== 1)
        throw new SignOnFailure("untrusted", "the state in the callback does not match");
      if (!ticketPattern.test(ticket)) throw new SignOnFailure("refused", "the callback contains no service ticket");
      const answer = await askProvider(
        at("/p3/serviceValidate", { service: toService(attempt), ticket, ...anew }),
        asked,
      );
      if (answer.status !== 200) throw new SignOnFailure("unreachable", `HTTP ${answer.status}`);
      const { user, attributes } = readCasAnswer(await answer.text());
      const [value, another] = attribute === undefined ? [user] : (attributes.get(attribute) ?? []);
      const identity = readIdentity(another === undefined ? value : undefined, attribute ?? "user");
      if (roleClaim === undefined) return { identity, factors: [] };
      const [name] = attributes.get("displayName") ?? attributes.get("cn") ?? [];
      return { identity, factors: [], name: readName(name), roles: attributes.get(roleClaim) };
    },
    findEnd: async (returnAddress) => at("/logout", { service: returnAddress }),
    async reach() {
      const { status } = await askProvider(at("/login", {}), asked);
      if (status >= 400) throw new SignOnFailure("unreachable", `HTTP ${status}`);
    },
  };
}

/**
 * CAS has no `state` parameter, so the service URL includes it. A ticket is valid only for its service URL, and so only
 * for the attempt that obtained it.
 */
const toService = ({ returnAddress, state }: Attempt): string =>
  `${returnAddress}?${new URLSearchParams({ state }).toString()}`;

const namespace = "http://www.yale.edu/tp/cas";

/** @throws {SignOnFailure} unreachable if the answer is invalid, untrusted if the ticket was rejected */
function readCasAnswer(text: string) {
  const [outcome, more] = listElements(readRoot(text));
  if (!outcome || more) throw noAnswer("it does not contain exactly one result");
  if (nameOf(outcome) === "authenticationFailure") {
    const [code = "no code"] = /^[A-Z_]{1,40}$/.exec(outcome.attributes["code"] ?? "") ?? [];
    throw new SignOnFailure("untrusted", `the ticket was rejected: ${code}`);
  }
  if (nameOf(outcome) !== "authenticationSuccess") throw noAnswer("it contains an unknown result");
  const parts = Map.groupBy(listElements(outcome), nameOf);
  const [user, another] = parts.get("user") ?? [];
  if (!user || another) throw noAnswer("it does not contain exactly one user");
  // Some servers place the attributes beside the user element, as in CAS 2.
  const elements = [...(parts.get("attributes") ?? []).flatMap(listElements), ...listElements(outcome)];
  const leaves = elements.filter((element) => listElements(element).length === 0);
  const attributes = new Map<string, string[]>();
  for (const leaf of leaves) attributes.set(nameOf(leaf), [...(attributes.get(nameOf(leaf)) ?? []), leaf.text.trim()]);
  return { user: user.text.trim(), attributes };
}

/** Documents with a DOCTYPE are refused, since CAS uses none. */
function readRoot(text: string): XmlElement {
  if (/<!(?!--|\[CDATA\[)/.test(text)) throw noAnswer("it contains a document type declaration");
  let root: XmlElement | null;
  try {
    ({ root } = parseXml(text));
  } catch {
    throw noAnswer("it is not XML");
  }
  const [, prefix] = /^(\w+):serviceResponse$/.exec(root?.name ?? "") ?? [];
  const declared = root?.attributes[prefix === undefined ? "xmlns" : `xmlns:${prefix}`];
  if (!root || nameOf(root) !== "serviceResponse" || declared !== namespace)
    throw noAnswer("it contains no service response");
  return root;
}

const listElements = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => child instanceof XmlElement);

const nameOf = ({ name }: XmlElement): string => name.slice(name.indexOf(":") + 1);

const noAnswer = (why: string): SignOnFailure => new SignOnFailure("unreachable", `invalid CAS response: ${why}`);
