import { createTestDatabase } from "#test/database.ts";
import { testTokenStore } from "#test/stand-ins/token-cache-conformance.ts";
import { openPool } from "#platform/database/index.ts";
import { createDatabaseTokenStore } from "./database-token-store.ts";

const { url, pool } = await createTestDatabase();

testTokenStore("PostgreSQL", async () => {
  await pool`truncate platform.outside_token`;
  const other = openPool(url, { connections: 5 });
  return {
    first: createDatabaseTokenStore(pool),
    second: createDatabaseTokenStore(other),
    close: () => other.end(),
  };
});
