import { after } from "node:test";
import { openDemoCas } from "#demo/cas-server.ts";
import { follow } from "./oidc.ts";

export { respond } from "#demo/cas-server.ts";

export interface CasStandIn {
  readonly url: string;
  readonly settings: Record<string, string>;
  lie: string | undefined;
  memberOf: readonly string[];
  visit(address: string, user: string): Promise<string>;
  close(): Promise<void>;
}

export async function startCasStandIn(): Promise<CasStandIn> {
  const describe = (user: string) => ({
    user,
    label: user,
    attributes: [
      ["employeeNumber", `staff-${user}`],
      ["displayName", `Person ${user}`],
      ...standIn.memberOf.map((group) => ["memberOf", group] as const),
    ] as const,
  });
  const { url, close } = await openDemoCas({
    listPeople: () => ["zhang", "li", "wang"].map(describe),
    lie: () => standIn.lie,
  });
  const standIn: CasStandIn = {
    url,
    settings: { CAS_URL: url },
    lie: undefined,
    memberOf: ["a", "b"],
    visit: (address, user) => follow(`${address}&user=${user}`),
    close,
  };
  after(close);
  return standIn;
}
