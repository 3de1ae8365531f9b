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

export interface Platform<Own extends object = object> {
  readonly settings: Settings & Own;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly files: FileStore;
  readonly temporaryFiles: TemporaryFiles;
  readonly streams: StreamLimiter;
  readonly messaging: Messaging | null;
  readonly institution: InstitutionReader;
  readonly privateKey: KeyObject;
  /** Aborted when a newer schema requires this version to stop serving requests. */
  readonly retired: AbortSignal;
}
