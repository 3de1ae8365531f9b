import type { FastifyRequest } from "fastify";
import type { Metric } from "prom-client";
import type { Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import type { ConstraintProblems } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { JobTasks, RecurringJob } from "#platform/jobs/runner.ts";
import type { Semaphore } from "#platform/jobs/semaphore.ts";
import type { SettingsPart } from "#platform/process/compose-settings.ts";
import type { Condition } from "#platform/process/condition.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Part } from "#platform/process/health.ts";
import type { OldRecord } from "#platform/process/old-row.ts";
import type { NoticeKind } from "#platform/process/notice.ts";
import type { PersonRecords } from "#platform/process/person.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { ExpiredRows, RetainedRecords } from "#platform/process/removal.ts";
import type { SetupItem } from "#platform/process/setup.ts";
import type { SealedColumn } from "#platform/sealing/keyring.ts";

/** A page for everybody that a service has, as the server knows it: the rest of it is in its folder below web/. */
export interface WebPage {
  /** Its folder below web/, whose main.tsx starts it, such as "public/library". */
  readonly entry: string;
  /** Where it stands below BASE_PATH, with parameters as `:name`; the first, which ends with a slash, is its entrance. */
  readonly paths: readonly [string, ...string[]];
  /** What a visitor looks for, as the entrances name it. */
  readonly title: Bilingual;
  readonly about: Bilingual;
  /** Whether there is what an address with parameters means; otherwise its page has the status 404. */
  readonly exists?: (params: Readonly<Record<string, string>>) => Promise<boolean>;
  /** What the page must know of how the service is set. Everybody may read it. */
  readonly told?: object;
  /** Other hosts that its forms may be posted to, such as "https://bank.example". */
  readonly forms?: readonly string[];
  /** A page of this host may show it within itself. */
  readonly framed?: true;
}

/** One service as app.ts puts it into the system: what it answers, and the work that it does by itself. */
export interface Service {
  readonly contract: ServiceContract;
  readonly handlers: Handlers<Record<string, Endpoint>>;
  readonly pages?: readonly WebPage[];
  /**
   * Proves who of the guests calls and returns what the guest is known by; wherever the contract lets guests in.
   * @throws {Problem} those that the contract's guests name.
   */
  readonly identifyGuest?: (request: FastifyRequest) => Promise<string>;
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
  /** Its parts of health, with the figures by which its conditions hold. */
  readonly health?: readonly (() => Promise<Part>)[];
  /** What it counts in this process beside what health tells; `quintet_…`, in seconds and bytes, labels with few values. */
  readonly metrics?: readonly Metric[];
  /** Where it lets a bounded number work at once, by what works there. */
  readonly semaphores?: Readonly<Record<string, Pick<Semaphore, "count">>>;
  /** Resolves when what goes on without its client is done; a process that stops waits for it, though not for long. */
  readonly settle?: () => Promise<void>;
}

// Below, what takes a service's own settings is written as a method: a list of services whose settings differ can then
// be typed, and nobody but `composeSettings` reads the settings that all of them are given.

/** Two figures of a database that must be the same, and come from different rows of it. */
export interface BookCheck {
  readonly what: string;
  readonly expected: number;
  readonly found: number;
}

/** A line of what the start tells: what it is about, in a word, and what of that. */
export type StartLine = readonly [about: string, what: string];

/** A service as app.ts lists it: all that there is to know about it. `Own`: its own settings, as they are read. */
export interface ServiceModule<Own extends object = object> {
  readonly contract: ServiceContract;
  readonly settings?: SettingsPart;
  create(platform: Platform<Own>): Service;
  readonly conditions?: readonly Condition<Own>[];
  /** What a new installation has to bring in for it. */
  readonly setup?: readonly SetupItem<Own>[];
  /** What it tells persons. */
  readonly notices?: readonly NoticeKind<Own>[];
  /** Why the service must not be served with these settings: a line each, beginning with the setting's name. */
  findRefusals?(settings: Settings & Own): readonly string[];
  /** What whoever starts the server should know of how the service is set. */
  describeStart?(settings: Settings & Own): readonly StartLine[];
  /** Columns of its tables that are sealed where there is a data key. */
  readonly sealed?: readonly SealedColumn[];
  readonly persons?: readonly PersonRecords[];
  /** Where the values of each dimension of its contract are found: a table with its schema, and SQL for the text. */
  readonly dimensionColumns?: Readonly<Record<string, readonly [table: string, column: string]>>;
  /** What of it is kept for as long as a setting says. */
  readonly retained?: readonly RetainedRecords[];
  expired?(settings: Settings & Own): readonly ExpiredRows[];
  /** Its records in an old database, those that others refer to first. */
  readonly oldRecords?: readonly OldRecord[];
  /** The address of an upload of its own, as its records name it. */
  toFileReference?(settings: Settings & Own, upload: string): string;
  /** Figures by which a restored database is told from a damaged one. */
  readonly checkBooks?: (db: Db) => Promise<readonly BookCheck[]>;
}

/** Binds handlers to the contract that they implement; the types of both are checked here and forgotten behind it. */
export const defineService = <E extends Record<string, Endpoint>>(
  contract: ServiceContract<E>,
  handlers: Handlers<E>,
  rest: Omit<Service, "contract" | "handlers"> = {},
): Service => ({ contract, handlers, ...rest });
