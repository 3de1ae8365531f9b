import { openConnection } from "#platform/database/index.ts";
import { type Address, administrator, ownerRole, serverRole } from "./address.ts";

const name = "quintet";
const answerMs = 60_000;

/**
 * Creates the roles, their privileges and the database where they are missing. Every start checks them, since an
 * earlier start may have been interrupted.
 * @throws {Error} if PostgreSQL ends meanwhile, or rejects a statement
 */
export async function prepareDatabase(toUrl: Address["toUrl"], ended: Promise<string>): Promise<void> {
  const died = ended.then((ending) => {
    throw new Error(`PostgreSQL stopped during startup (${ending})`);
  });
  died.catch(() => {});
  await Promise.race([prepare(toUrl), died]);
}

async function prepare(toUrl: Address["toUrl"]): Promise<void> {
  const roles = [ownerRole, serverRole];
  await runStatements(toUrl("postgres", administrator), [
    // The roles are not superusers, so that SQL injection can neither read files nor start programs.
    ...roles.map((role) =>
      unless(
        `exists (select from pg_roles where rolname = '${role}')`,
        `create role ${role} login nosuperuser nocreatedb nocreaterole noreplication`,
      ),
    ),
    // The owner's role is a member of the server's role, and so may use the server's objects, such as the job tables.
    unless(`pg_has_role('${ownerRole}', '${serverRole}', 'member')`, `grant ${serverRole} to ${ownerRole}`),
  ]);
  const grant = unless(
    `has_database_privilege('${serverRole}', '${name}', 'create')`,
    `grant create, temporary on database ${name} to ${serverRole}`,
  );
  const failure = await runStatements(toUrl(name, administrator), [grant]).catch((error: unknown) => error);
  if ((failure as { code?: unknown } | undefined)?.code === "3D000")
    await runStatements(toUrl("postgres", administrator), [`create database ${name} owner ${ownerRole}`, grant]);
  else if (failure !== undefined) throw failure;
}

// Only missing objects are created, because a standby rejects all writes.
const unless = (condition: string, statement: string): string =>
  `do $$ begin if not ${condition} then ${statement}; end if; end $$`;

async function runStatements(url: string, texts: readonly string[]): Promise<undefined> {
  const connection = await openConnection(url, { answerMs });
  try {
    for (const text of texts) await connection.query(text);
  } finally {
    await connection.end();
  }
}
