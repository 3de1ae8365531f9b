import { listRights, type Rights, toStoredRights } from "#platform/contract/rights.ts";

// What the campus says of somebody, as what they are here: `groups: it-ops = platform/super; clerk =
// library/administrator/library.read+library.export`.

/** What somebody becomes at a service; "platform" for an operator, who runs every service. */
export interface Role {
  readonly service: string;
  readonly isSuper: boolean;
  readonly rights: Rights;
}

export interface RoleClaim {
  /** The claim, or attribute, whose values count. */
  readonly claim: string;
  /** In the order of the setting. */
  readonly roles: readonly (Role & { readonly value: string })[];
  /** As it was written. */
  toString(): string;
}

export const claimPattern = /^[\w.:/-]{1,100}$/;
const mostValueLength = 255;
const mostRoles = 200;

/** Reads the setting. @throws {Error} of one line that says what is wrong, for a person. */
export function readRoleClaim(text: string, services: readonly string[]): RoleClaim {
  const [, claim = "", list = ""] = /^\s*([^\s;=]+):\s+(.*)$/s.exec(text) ?? [];
  if (!claimPattern.test(claim))
    throw new Error(
      "must begin with the name of a claim, a colon and a blank, such as groups: it-ops = platform/super",
    );
  const parts = list.split(";").filter((part) => part.trim() !== "");
  if (parts.length === 0 || parts.length > mostRoles) throw new Error(`must name 1 to ${mostRoles} values of ${claim}`);
  return { claim, roles: parts.map((part) => readRole(part.trim(), services)), toString: () => text };
}

function readRole(part: string, services: readonly string[]): RoleClaim["roles"][number] {
  // The last sign of equality: names of directories have them as well.
  const [, value = "", service = "", role = "", rights] =
    /^(.*?)\s*=\s*([^\s/=]+)\/([^\s/=]+)(?:\/([^\s/=]*))?$/s.exec(part) ?? [];
  const refuse = (why: string): Error => new Error(`"${part.slice(0, 80)}" ${why}`);
  if (value === "" || value.length > mostValueLength)
    throw refuse("must be <value> = <service>/<super or administrator>, and /<right>+<right> where they are narrowed");
  const places = ["platform", ...services];
  if (!places.includes(service)) throw refuse(`must name one of ${places.join(", ")}`);
  const isSuper = role === "super";
  if (!isSuper && (role !== "administrator" || service === "platform"))
    throw refuse(service === "platform" ? "must be platform/super: operators are" : "must be super or administrator");
  return { value, service, isSuper, rights: readRights(rights, service === "platform" ? places : [service], refuse) };
}

function readRights(text: string | undefined, places: readonly string[], refuse: (why: string) => Error): Rights {
  if (text === undefined) return null;
  const given = text.split("+");
  const known = listRights(places);
  const strange = given.find((right) => !known.includes(right));
  if (strange !== undefined) throw refuse(`must name rights out of ${known.join(", ")}`);
  return toStoredRights(places, given);
}

/**
 * What the values make of somebody: at each service what the setting names first, and of an operator nothing else, whose
 * name could otherwise be two accounts at one login. What is no text, or stands deeper than in a list, is no value.
 */
export function chooseRoles({ roles }: Pick<RoleClaim, "roles">, values: unknown): Role[] {
  const given = new Set([values].flat());
  const chosen = new Map<string, Role>();
  for (const { value, ...role } of roles)
    if (given.has(value) && !chosen.has(role.service)) chosen.set(role.service, role);
  const operator = chosen.get("platform");
  return operator ? [operator] : [...chosen.values()];
}
