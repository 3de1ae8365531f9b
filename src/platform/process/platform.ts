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

/** What a running process provides to its services. `Own`: the settings of a service. */
export interface Platform<Own extends object = object> {
  readonly settings: Settings & Own;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly files: FileStore;
  /** Temporary files of requests. */
  readonly temporaryFiles: TemporaryFiles;
  /** Limits concurrent streamed answers. */
  readonly streams: StreamLimiter;
  /** The messaging platform, if configured. */
  readonly messaging: Messaging | null;
  /** Whose installation it is. */
  readonly institution: InstitutionReader;
  /** With which encrypted passwords are read. */
  readonly privateKey: KeyObject;
  /** Aborted when a newer schema requires this version to stop serving. */
  readonly retired: AbortSignal;
}
