import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/blocks/rights/texts.ts";
import { allSections, useServiceNames } from "#console/sections.ts";
import type { Session } from "#console/session/session.ts";
import type { Section } from "#console/shell/section.ts";

// Rights are texts such as "library.read": a service and a group of its operations.

export const groups = ["read", "write", "export", "money"] as const;
export type Group = (typeof groups)[number];

export type Rights = readonly string[] | null | undefined;

/** The groups of which a service has an operation. */
export function listGroups(service: string): readonly Group[] {
  const operations = Object.values<Section["operations"][string]>(
    allSections.find((section) => section.service === service)?.operations ?? {},
  );
  return groups.filter((group) =>
    operations.some(
      ({ who, method, takes = method === "GET" ? "read" : "write", asFile }) =>
        who !== "anyone" && who !== "guest" && (takes === group || asFile === group),
    ),
  );
}

/** The rights that the one who is signed in has there, which are as many as can be given; null for all. */
export const ownRights = (session: Session | null, ...services: readonly string[]): readonly string[] | null =>
  session?.rights?.filter((right) => services.some((service) => right.startsWith(`${service}.`))) ?? null;

/** Rights in words; the services are named where there may be several. */
export function useRightsWords(isOfOneService = false): (rights: Rights) => string {
  const t = useTexts(texts);
  const nameService = useServiceNames();
  return (rights) => {
    if (!rights) return t.all;
    if (rights.length === 0) return t.none;
    const byService = Map.groupBy(rights, (right) => right.slice(0, right.lastIndexOf(".")));
    return [...byService]
      .map(([service, own]) => {
        const words = groups.filter((group) => own.includes(`${service}.${group}`)).map((group) => t.groups[group]);
        return isOfOneService ? words.join(t.comma) : t.cell(nameService(service), words.join(t.comma));
      })
      .join(t.semicolon);
  };
}
