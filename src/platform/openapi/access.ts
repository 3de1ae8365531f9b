import { downloadCookie, nameSecurely } from "#platform/accounts/cookies.ts";
import { type Access, type Endpoint, type Guests, guestsOf } from "#platform/contract/endpoint.ts";

// The interface documents spell it in each of these ways, and every operation takes them all.
const tokenHeaders = ["admin_token", "admin-token", "Admin-Token"] as const;

const describeTokenHeader = (name: string) => ({
  type: "apiKey",
  in: "header",
  name,
  description:
    "The token that a login answers with. admin_token, admin-token and Admin-Token are one header, since many proxies drop names with underscores.",
});

const keyScheme = {
  type: "http",
  scheme: "bearer",
  description: "An access key of a service account, for programs; it may stand in a token's header as well.",
};

const ticketScheme = {
  type: "apiKey",
  in: "query",
  name: "ticket",
  description: "For links in a browser: a ticket that is good for one download within a minute.",
};

/** Who may call an operation, for people. */
export function describeAccess({ access, own }: Endpoint): string {
  const addition = own ? " An addition of this platform: the interface documents do not have it." : "";
  return `${whoMayCall(access)}${addition}`;
}

function whoMayCall(access: Access): string {
  if (access.who === "anyone" && access.limit === "refusals")
    return "Open to anyone; calls of one address that are refused are limited.";
  if (access.who === "anyone")
    return access.limit ? "Open to anyone; the calls of one address are limited." : "Open to anyone.";
  if (access.who === "operator") return "For operators of the platform.";
  if (access.who === "account") return "For whoever is signed in, at whichever service.";
  if (access.who === "guest") {
    const { title, knownBy } = access.guests;
    return `For ${title}.${access.mostPerMinute ? ` The calls of one ${knownBy} are limited.` : ""}`;
  }
  const who =
    access.who === "super" ? "For super administrators of the service." : "For administrators of the service.";
  if (access.who === "administrator" && access.orGuests)
    return `For administrators of the service, and for ${access.orGuests.title}.`;
  const open = access.who !== "download" && access.headerUndocumented;
  return open ? `${who} Open to anyone where UNDOCUMENTED_AUTH leaves the service open.` : who;
}

/** What a call must carry where its operation says nothing else: one of these. */
export const tokens: readonly object[] = [...tokenHeaders, "accessKey"].map((name) => ({ [name]: [] }));

/** The schemes that `tokens` names. */
export const tokenSchemes = (): Record<string, object> => ({
  ...Object.fromEntries(tokenHeaders.map((name) => [name, describeTokenHeader(name)])),
  accessKey: keyScheme,
});

/** What a call must carry in place of a token alone: one of the requirements, whose schemes are added to `schemes`. */
export function describeSecurity(service: string, access: Access, schemes: Record<string, object>): object {
  const security = listRequirements(service, access, schemes);
  return security === tokens ? {} : { security };
}

function listRequirements(service: string, access: Access, schemes: Record<string, object>): readonly object[] {
  if (access.who === "anyone") return [];
  if (access.who === "guest") return describeGuests(access.guests, schemes);
  const guests = guestsOf(access);
  if (guests) return [...tokens, ...describeGuests(guests, schemes)];
  if (access.who !== "download") return tokens;
  const cookie = `${service}.cookie`;
  const download = downloadCookie(service);
  schemes[cookie] = {
    type: "apiKey",
    in: "cookie",
    name: nameSecurely(download, { BASE_PATH: "" }),
    description: `The cookie that a login sets in a browser; downloads alone read it. Over plain HTTP its name is ${download.name}.`,
  };
  schemes["ticket"] = ticketScheme;
  return [...tokens, { [cookie]: [] }, { ticket: [] }];
}

function describeGuests({ headers, ways }: Guests, schemes: Record<string, object>): object[] {
  for (const [name, description] of Object.entries(headers))
    schemes[name] = { type: "apiKey", in: "header", name, description };
  return ways.map((names) => Object.fromEntries(names.map((name) => [name, []])));
}
