export { readDatabaseAddress } from "./address.ts";
export { reviewAddresses } from "./pooler.ts";
export {
  column,
  type Columns,
  compileInsert,
  compileValues,
  type RowOf,
  setGiven,
  type Stored,
  writeNames,
  writeSelected,
} from "./columns.ts";
export { copyIn, type CopyIn, copyOut, openCopyIn } from "./copy.ts";
export { type CopyValue, toCopyLine } from "./copy-text.ts";
export { type PageWithTotal, listPage, toPageWithTotal } from "./list-page.ts";
export { type Db, type Row, setLimits } from "./db.ts";
export { type Connection, openConnection, openWorkerPool } from "./client.ts";
export { brokenConstraint, isConnectionLoss, isDiskFull, isOverLimit, isUndone } from "./failures.ts";
export { batch, batchByPool, type BatchOptions } from "./batch.ts";
export { longLimits, usualLimits } from "./limits.ts";
export { findRole, migrate, migrateAsOwner } from "./migrate.ts";
export { listMigrations, readSchemaState } from "./migrations.ts";
export { openPool, type Pool, type Session } from "./pool.ts";
export { type Fragment, sql } from "./sql.ts";
export { startStatement, type Statement, streamRows } from "./statement.ts";
export { Within } from "./within.ts";
export { inLongTransaction, inSnapshot, inTransaction, openSnapshot, sendAndNotify } from "./transaction.ts";
