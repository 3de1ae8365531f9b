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

/** A public page of a service; its code is in a folder below web/. */
export interface WebPage {
  /** Its folder below web/ with main.tsx, such as "public/library". */
  readonly entry: string;
  /** Its paths below BASE_PATH with parameters as `:name`; the first ends with a slash. */
  readonly paths: readonly [string, ...string[]];
  /** Its name on the start page. */
  readonly title: Bilingual;
  readonly about: Bilingual;
  /** Whether a parameterised address exists; otherwise the status is 404. */
  readonly exists?: (params: Readonly<Record<string, string>>) => Promise<boolean>;
  /** Public data about the service's configuration. */
  readonly told?: object;
  /** Other origins that its forms may post to. */
  readonly forms?: readonly string[];
  /** Pages of this host may frame it. */
  readonly framed?: true;
}

/** A running service: operations and background work. */
export interface Service {
  readonly contract: ServiceContract;
  readonly handlers: Handlers<Record<string, Endpoint>>;
  readonly pages?: readonly WebPage[];
  /** Verifies a guest and returns the identifier. @throws {Problem} as declared by the contract's guests. */
  readonly identifyGuest?: (request: FastifyRequest) => Promise<string>;
  /** What broken constraints mean to a caller. */
  readonly constraints?: ConstraintProblems;
  readonly tasks?: JobTasks;
  readonly recurring?: readonly RecurringJob[];
  /** Runs before the first request, after the migrations. */
  readonly prepare?: () => Promise<void>;
  /** Warnings for the startup report. */
  readonly findWarnings?: () => Promise<readonly string[]>;
  /** Starts background activity once the process serves requests. */
  readonly start?: () => void;
  /** Health components. */
  readonly health?: readonly (() => Promise<Part>)[];
  /** Process metrics named `quintet_…`, in seconds and bytes, with few label values. */
  readonly metrics?: readonly Metric[];
  /** Semaphores by what they limit. */
  readonly semaphores?: Readonly<Record<string, Pick<Semaphore, "count">>>;
  /** Resolves when background work without a client is finished; awaited briefly at shutdown. */
  readonly settle?: () => Promise<void>;
}

// Members below that take a service's own settings are methods, so that services with different settings can be listed
// together; only `composeSettings` sees all settings.

/** Two totals of a database that must agree although they come from different rows. */
export interface BookCheck {
  readonly what: string;
  readonly expected: number;
  readonly found: number;
}

/** A line of the startup report: label and text. */
export type StartLine = readonly [about: string, what: string];

/** A service as listed in app.ts. `Own`: its own settings. */
export interface ServiceModule<Own extends object = object> {
  readonly contract: ServiceContract;
  readonly settings?: SettingsPart;
  create(platform: Platform<Own>): Service;
  readonly conditions?: readonly Condition<Own>[];
  /** What a new installation has to bring in for it. */
  readonly setup?: readonly SetupItem<Own>[];
  /** What it tells persons. */
  readonly notices?: readonly NoticeKind<Own>[];
  /** Reasons not to serve with these settings, each starting with a setting's name. */
  findRefusals?(settings: Settings & Own): readonly string[];
  /** Lines for the startup report. */
  describeStart?(settings: Settings & Own): readonly StartLine[];
  /** Columns sealed with the data key. */
  readonly sealed?: readonly SealedColumn[];
  readonly persons?: readonly PersonRecords[];
  /** Where the values of each dimension are: the table and an SQL expression. */
  readonly dimensionColumns?: Readonly<Record<string, readonly [table: string, column: string]>>;
  readonly retained?: readonly RetainedRecords[];
  expired?(settings: Settings & Own): readonly ExpiredRows[];
  /** Its records in old databases, referenced ones first. */
  readonly oldRecords?: readonly OldRecord[];
  /** The address of an upload in its records. */
  toFileReference?(settings: Settings & Own, upload: string): string;
  /** Totals that verify a restored database. */
  readonly checkBooks?: (db: Db) => Promise<readonly BookCheck[]>;
}

/** Type-checks handlers against their contract. */
export const defineService = <E extends Record<string, Endpoint>>(
  contract: ServiceContract<E>,
  handlers: Handlers<E>,
  rest: Omit<Service, "contract" | "handlers"> = {},
): Service => ({ contract, handlers, ...rest });
