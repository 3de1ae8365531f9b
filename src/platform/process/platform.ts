import type { KeyObject } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import type { Clock } from "#platform/contract/times.ts";
import type { Pool } from "#platform/database/index.ts";
import type { TemporaryFiles } from "#platform/files/temporary-files.ts";
import type { FileStore } from "#platform/files/file-store.ts";
import type { Messaging } from "#platform/messaging/index.ts";
import type { Settings } from "#platform/process/config.ts";
import type { InstitutionReader } from "#platform/process/institution.ts";
import type { StreamLimiter } from "#platform/process/stream-limiter.ts";

/** What a running process has to offer its services; serve.ts makes it, tests make theirs. `Own`: a service's own settings. */
export interface Platform<Own extends object = object> {
  readonly settings: Settings & Own;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly files: FileStore;
  /** What lies on the disk and belongs to requests. */
  readonly temporaryFiles: TemporaryFiles;
  /** Through which long answers are read from the database. */
  readonly streams: StreamLimiter;
  /** The outside messaging platform; null when none is configured. */
  readonly messaging: Messaging | null;
  /** Whose installation it is. */
  readonly institution: InstitutionReader;
  /** With which encrypted passwords are read. */
  readonly privateKey: KeyObject;
  /** Aborted when a newer version has changed the database so that this one must take nothing more. */
  readonly retired: AbortSignal;
}
