import type { Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import type { ConstraintProblems } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { HealthPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";

/** One service as app.ts puts it into the system: what it answers, and the work that it does by itself. */
export interface Service {
  readonly contract: ServiceContract;
  readonly handlers: Handlers<Record<string, Endpoint>>;
  /** What broken constraints of its tables mean to a caller. */
  readonly constraints?: ConstraintProblems;
  readonly tasks?: JobTasks;
  readonly recurring?: readonly RecurringJob[];
  /** What must be in order before the first request, after the migrations. */
  readonly prepare?: () => Promise<void>;
  /** What somebody should look after, a line each: the start says it. */
  readonly findWarnings?: () => Promise<readonly string[]>;
  /** Begins what it does by itself, once the process takes requests. */
  readonly start?: () => void;
  /** How it is, for operators. */
  readonly health?: () => Promise<HealthPart>;
  /** Resolves when what goes on without its client is done; a process that stops waits for it, though not for long. */
  readonly settle?: () => Promise<void>;
}

/** What a demonstration may use: the interface itself, called as anybody would call it. */
export interface DemoTools {
  /**
   * Calls an operation, as the operator or as the student with that card, and returns the envelope's data.
   * @throws when it answers with a failure.
   */
  readonly call: (method: Endpoint["method"], path: string, body?: unknown, card?: string) => Promise<unknown>;
  /** Uploads a file to an operation that takes one, form fields beside it. @throws when it answers with a failure. */
  readonly upload: (
    path: string,
    fileName: string,
    bytes: Buffer,
    fields?: Readonly<Record<string, string>>,
  ) => Promise<unknown>;
  readonly say: (line: string) => void;
  /** For what nobody may choose through the interface: when something has happened. */
  readonly db: Db;
}

/** A service as app.ts lists it. */
export interface ServiceModule {
  readonly contract: ServiceContract;
  readonly create: (platform: Platform) => Service;
  /** Why the service must not be served with these settings: a line each, beginning with the setting's name. */
  readonly findRefusals?: (settings: Settings) => readonly string[];
  /** Loads fictitious data. @param platform of the process that does so, which may push to this machine itself */
  readonly demo?: (tools: DemoTools, platform: Platform) => Promise<void>;
  /** Begins what of it lives as long as a server does; at each start with the demonstration. */
  readonly wakeDemo?: (tools: DemoTools) => Promise<void>;
}

/** Binds handlers to the contract that they implement; the types of both are checked here and forgotten behind it. */
export function defineService<E extends Record<string, Endpoint>>(
  contract: ServiceContract<E>,
  handlers: Handlers<E>,
  rest: Omit<Service, "contract" | "handlers"> = {},
): Service {
  return { contract, handlers: handlers, ...rest };
}
