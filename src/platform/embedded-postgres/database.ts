import postgres from "postgres";

/**
 * Makes the database `quintet` when it is missing. Asked on every start, as the first one can be interrupted between
 * the cluster and its database. Throws when PostgreSQL ends meanwhile.
 */
export async function createDatabaseIfMissing(
  toUrl: (database: string) => string,
  ended: Promise<string>,
): Promise<void> {
  const died = ended.then((ending) => {
    throw new Error(`PostgreSQL ended while starting (${ending})`);
  });
  died.catch(() => {});
  await Promise.race([create(toUrl), died]);
}

async function create(toUrl: (database: string) => string): Promise<void> {
  const failure = await runStatement(toUrl("quintet"), "select 1").catch((error: unknown) => error);
  if (hasCode(failure, "3D000")) await runStatement(toUrl("postgres"), "create database quintet");
  else if (failure !== undefined) throw failure;
}

async function runStatement(url: string, text: string): Promise<undefined> {
  const sql = postgres(url, {
    max: 1,
    fetch_types: false,
    connect_timeout: 10,
    onnotice: () => {},
  });
  try {
    await sql.unsafe(text);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
