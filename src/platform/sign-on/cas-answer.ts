import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { SignOnFailure } from "./provider.ts";

export interface CasUser {
  readonly user: string;
  /** In the order in which they stand, under each name. */
  readonly attributes: ReadonlyMap<string, readonly string[]>;
}

const namespace = "http://www.yale.edu/tp/cas";

/**
 * Who the ticket was of. @throws {SignOnFailure} unreachable for what is no answer of CAS, untrusted for a ticket that it
 * does not take.
 */
export function readCasAnswer(text: string): CasUser {
  const root = readRoot(text);
  const [outcome, more] = listElements(root);
  if (!outcome || more) throw noAnswer("not one outcome");
  if (nameOf(outcome) === "authenticationFailure") throw refuse(outcome.attributes["code"]);
  if (nameOf(outcome) !== "authenticationSuccess") throw noAnswer("an outcome of no known name");
  const parts = Map.groupBy(listElements(outcome), nameOf);
  const [user, another] = parts.get("user") ?? [];
  if (!user || another) throw noAnswer("not one user");
  // Some servers put attributes beside the user, as those of CAS 2 did.
  const attributes = [...(parts.get("attributes") ?? []).flatMap(listElements), ...listElements(outcome)];
  return { user: user.text.trim(), attributes: readAttributes(attributes) };
}

/** No document type: the parser knows none, and what would define entities is no answer of CAS. */
function readRoot(text: string): XmlElement {
  if (/<!(?!--|\[CDATA\[)/.test(text)) throw noAnswer("a document type");
  const root = parse(text);
  const [, prefix] = /^(\w+):serviceResponse$/.exec(root?.name ?? "") ?? [];
  const declared = root?.attributes[prefix === undefined ? "xmlns" : `xmlns:${prefix}`];
  if (!root || nameOf(root) !== "serviceResponse" || declared !== namespace) throw noAnswer("no service response");
  return root;
}

function parse(text: string): XmlElement | null {
  try {
    return parseXml(text).root;
  } catch {
    throw noAnswer("no XML");
  }
}

function readAttributes(elements: readonly XmlElement[]): Map<string, string[]> {
  const leaves = elements.filter((element) => listElements(element).length === 0);
  const grouped = Map.groupBy(leaves, nameOf);
  return new Map([...grouped].map(([name, those]) => [name, those.map(({ text }) => text.trim())]));
}

const listElements = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => child instanceof XmlElement);

const nameOf = ({ name }: XmlElement): string => name.slice(name.indexOf(":") + 1);

const noAnswer = (why: string): SignOnFailure => new SignOnFailure("unreachable", `no answer of CAS: ${why}`);

const refuse = (code: string | undefined): SignOnFailure =>
  new SignOnFailure("untrusted", `the ticket was not taken: ${/^[A-Z_]{1,40}$/.exec(code ?? "")?.[0] ?? "no code"}`);
