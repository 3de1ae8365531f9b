import { createInterface } from "node:readline/promises";
import { isatty } from "node:tty";
import { type AuditEntry, commandLine, writeLocalAudit } from "#platform/accounts/audit.ts";
import { personsOfAccounts } from "#platform/accounts/person-store.ts";
import { type Db, inLongTransaction, type Pool } from "#platform/database/index.ts";
import { personsOfNotices } from "#platform/notices/index.ts";
import type { Person, PersonRecords } from "#platform/process/person.ts";
import type { ServiceModule } from "#platform/process/service.ts";
import { modules } from "./app.ts";
import { withDatabase } from "./open-database.ts";
import type { Settings } from "./settings.ts";

const recordsByService: readonly (readonly [service: string, records: readonly PersonRecords[]])[] = [
  ["platform", [...personsOfAccounts, ...personsOfNotices]],
  ...(modules as readonly ServiceModule[]).map(({ contract, persons = [] }) => [contract.name, persons] as const),
];

type Say = (line: string) => void;

export async function showPerson(db: Db, person: Person): Promise<Record<string, Record<string, readonly object[]>>> {
  const found: Record<string, Record<string, readonly object[]>> = {};
  for (const [service, records] of recordsByService)
    for (const { kind, show } of records) {
      const rows = await show(db, person);
      if (rows.length > 0) (found[service] ??= {})[kind] = rows;
    }
  return found;
}

export interface Erased {
  readonly service: string;
  readonly kind: string;
  readonly records: number;
  readonly kept?: string | undefined;
}

/**
 * Erases a person's records in one transaction. For each service, the audit log has the ids of up to 100 erased
 * records, but no personal data.
 */
export const erasePerson = (pool: Pool, person: Person, by: string): Promise<Erased[]> =>
  inLongTransaction(pool, async (tx) => {
    const erased: Erased[] = [];
    for (const [service, records] of recordsByService) {
      const gone: Record<string, readonly object[]> = {};
      for (const { kind, show, erase, kept } of records) {
        const found = await show(tx, person);
        const count = erase ? await erase(tx, person) : found.length;
        erased.push({ service, kind, records: count, kept });
        if (erase && count > 0) gone[kind] = found;
      }
      if (Object.keys(gone).length > 0) await writeLine(tx, { service, action: "erasePerson", userName: by }, gone);
    }
    return erased;
  });

const mostTold = 100;

const writeLine = (
  db: Db,
  who: Pick<AuditEntry, "service" | "action" | "userName">,
  kinds: Readonly<Record<string, readonly object[]>>,
): Promise<void> => {
  const rows = Object.values(kinds).flat() as Partial<Record<"orderNo" | "id" | "userId", string | number>>[];
  const records = rows.flatMap(({ orderNo, id, userId }) => orderNo ?? id ?? userId ?? []).slice(0, mostTold);
  const detail = Object.fromEntries(Object.entries(kinds).map(([kind, { length }]) => [kind, length]));
  return writeLocalAudit(db, { ...who, records, detail });
};

export async function runShow(settings: Settings, person: Person, print: Say): Promise<void> {
  await withDatabase(settings, async (pool) => {
    const found = await showPerson(pool, requirePerson(person));
    // A search is audited even if it finds nothing.
    const looked = Object.keys(found).length > 0 ? found : { platform: {} };
    for (const [service, kinds] of Object.entries(looked))
      await writeLine(pool, { service, action: "showPerson", userName: commandLine }, kinds);
    print(JSON.stringify(found, null, 2));
  });
}

export const runErase = async (
  settings: Settings,
  person: Person,
  { yes, say }: { readonly yes: boolean; readonly say: Say },
): Promise<boolean> =>
  withDatabase(settings, async (pool) => {
    const found = await showPerson(pool, requirePerson(person));
    for (const [service, kinds] of Object.entries(found))
      for (const [kind, rows] of Object.entries(kinds)) say(`${service}, ${kind}: ${rows.length}`);
    if (!yes && !(await confirm())) {
      say("Nothing was erased.");
      return false;
    }
    for (const { service, kind, records, kept } of await erasePerson(pool, person, commandLine))
      if (records > 0)
        say(`${service}, ${kind}: ${kept === undefined ? `${records} erased` : `${records} kept: ${kept}`}`);
    say("Backups and audit entries keep their content until they expire.");
    return true;
  });

function requirePerson(person: Person): Person {
  const given = Object.values(person).filter((text: string | undefined) => text !== undefined);
  if (given.length === 0) throw new Error("Specify the person with --card, --phone or --user.");
  if (given.some((text) => text.trim().length < 3))
    throw new Error("--card, --phone and --user need at least 3 characters.");
  if (person.phone !== undefined && person.phone.replaceAll(/\D/g, "").length < 5)
    throw new Error("--phone needs at least 5 digits.");
  return person;
}

async function confirm(): Promise<boolean> {
  if (!isatty(0)) throw new Error("Standard input is not a terminal: use --yes to erase without confirmation.");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await lines.question("Erase these records permanently? Type yes to confirm: ");
  lines.close();
  return answer.trim() === "yes";
}
