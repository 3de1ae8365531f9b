// The door: PostgreSQL, and all that speaks to it.
export { readDatabaseAddress } from "./address.ts";
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
export { type CopyIn, openCopyIn } from "./copy-in.ts";
export { copyOut } from "./copy-out.ts";
export { type CopyValue, toCopyLine } from "./copy-text.ts";
export { type Counted, listPage, toCounted } from "./list-page.ts";
export { type Db, type Row, setLimits } from "./db.ts";
export { type Connection, openConnection, openWorkerPool } from "./driver.ts";
export { brokenConstraint, isConnectionLoss, isDiskFull, isOverLimit, isUndone } from "./failures.ts";
export { batch, batchByPool } from "./batch.ts";
export { reviewAddresses } from "./review.ts";
export { type Limits, longLimits, usualLimits } from "./limits.ts";
export { migrate } from "./migrate.ts";
export { listMigrations } from "./migrations.ts";
export { findRole, migrateAsOwner } from "./owner.ts";
export { openPool, type Pool, type PoolOptions, type Session } from "./pool.ts";
export { readSchemaState, type SchemaState } from "./schema-state.ts";
export { type Fragment, sql } from "./sql.ts";
export { startStatement, type Statement } from "./statement.ts";
export { streamRows } from "./stream.ts";
export { inLongTransaction, inSnapshot, inTransaction, openSnapshot, sendAndTell } from "./transaction.ts";
