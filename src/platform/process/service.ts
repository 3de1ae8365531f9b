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

export interface WebPage {
  /** A folder below web/ that contains a main.tsx, such as "public/toilets". */
  readonly entry: string;
  /** Paths below BASE_PATH, with parameters as `:name`. The first path ends with a slash. */
  readonly paths: readonly [string, ...string[]];
  readonly title: Bilingual;
  readonly about: Bilingual;
  readonly exists?: (params: Readonly<Record<string, string>>) => Promise<boolean>;
  readonly told?: object;
  /** Other origins to which forms of the page may post. */
  readonly forms?: readonly string[];
  readonly framed?: true;
}

export interface Service {
  readonly contract: ServiceContract;
  readonly handlers: Handlers<Record<string, Endpoint>>;
  readonly pages?: readonly WebPage[];
  /**
   * Returns the identifier of the guest who sent the request.
   * @throws {Problem} as declared by the contract's guests
   */
  readonly identifyGuest?: (request: FastifyRequest) => Promise<string>;
  readonly constraints?: ConstraintProblems;
  readonly tasks?: JobTasks;
  readonly recurring?: readonly RecurringJob[];
  readonly prepare?: () => Promise<void>;
  readonly findWarnings?: () => Promise<readonly string[]>;
  /** Called when the process has begun to serve requests. */
  readonly start?: () => void;
  readonly health?: readonly (() => Promise<Part>)[];
  /** The metrics' names begin with `quintet_`, their units are seconds and bytes, and their labels have few values. */
  readonly metrics?: readonly Metric[];
  readonly semaphores?: Readonly<Record<string, Pick<Semaphore, "count">>>;
  /** Resolves when work that no client waits for is finished; shutdown waits for it briefly. */
  readonly settle?: () => Promise<void>;
}

// Members that take a service's own settings are methods and not function-valued properties, because TypeScript
// compares the parameters of methods less strictly, so services with different settings can be in one list.

/** Two totals that must be equal, although they are computed from different rows. */
export interface BookCheck {
  readonly what: string;
  readonly expected: number;
  readonly found: number;
}

export type StartLine = readonly [about: string, what: string];

export interface ServiceModule<Own extends object = object> {
  readonly contract: ServiceContract;
  readonly settings?: SettingsPart;
  create(platform: Platform<Own>): Service;
  readonly conditions?: readonly Condition<Own>[];
  readonly setup?: readonly SetupItem<Own>[];
  readonly notices?: readonly NoticeKind<Own>[];
  /** Returns the reasons not to serve with these settings, each starting with the name of a setting. */
  findRefusals?(settings: Settings & Own): readonly string[];
  describeStart?(settings: Settings & Own): readonly StartLine[];
  readonly sealed?: readonly SealedColumn[];
  readonly persons?: readonly PersonRecords[];
  /** For each dimension, the table that contains its values and the SQL expression that yields them. */
  readonly dimensionColumns?: Readonly<Record<string, readonly [table: string, column: string]>>;
  readonly retained?: readonly RetainedRecords[];
  expired?(settings: Settings & Own): readonly ExpiredRows[];
  readonly oldRecords?: readonly OldRecord[];
  toFileReference?(settings: Settings & Own, upload: string): string;
  readonly checkBooks?: (db: Db) => Promise<readonly BookCheck[]>;
}

export const defineService = <E extends Record<string, Endpoint>>(
  contract: ServiceContract<E>,
  handlers: Handlers<E>,
  rest: Omit<Service, "contract" | "handlers"> = {},
): Service => ({ contract, handlers, ...rest });
