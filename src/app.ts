import type { FastifyInstance } from "fastify";
import type { Metric } from "prom-client";
import { accountConditions } from "#platform/accounts/conditions.ts";
import { createOperators, describePlatform, platformSetup, setupOpen } from "#platform/accounts/operators/index.ts";
import { sealedPrivateKey } from "#platform/accounts/password.ts";
import { seedColumn } from "#platform/accounts/second-factor/factors.ts";
import { createAlerts, platformConditions } from "#platform/alerts/index.ts";
import { backupSetup } from "#platform/backup/index.ts";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import type { Dimensions } from "#platform/contract/scope.ts";
import { SettingsError } from "#platform/contract/setting-types.ts";
import { serveDocuments } from "#platform/http/documents.ts";
import { sealedAnswer } from "#platform/http/idempotency.ts";
import { serveMetrics } from "#platform/http/metrics.ts";
import { compileMissingPage, servePlainPages } from "#platform/http/plain-pages.ts";
import { serveProbes } from "#platform/http/probes.ts";
import { serveContract } from "#platform/http/serve.ts";
import { createServer } from "#platform/http/server.ts";
import { serveConsole, servePages } from "#platform/http/web-pages.ts";
import type { JobRunner } from "#platform/jobs/runner.ts";
import { createNotices, sealedNotices } from "#platform/notices/index.ts";
import type { SettingDescription } from "#platform/process/compose-settings.ts";
import { judge, nameConditions, type NamedCondition } from "#platform/process/condition.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Part } from "#platform/process/health.ts";
import { type NamedNotice, nameNotices } from "#platform/process/notice.ts";
import type { Platform } from "#platform/process/platform.ts";
import { nameSetup, type NamedSetupItem } from "#platform/process/setup.ts";
import type { Service, ServiceModule } from "#platform/process/service.ts";
import type { SealedColumn } from "#platform/sealing/keyring.ts";
import { attendanceModule } from "#services/attendance/index.ts";
import { diseaseCommandModule } from "#services/disease-command/index.ts";
import { pushRelayModule } from "#services/push-relay/index.ts";
import { reportingModule } from "#services/reporting/index.ts";
import { tuitionPaymentModule } from "#services/tuition-payment/index.ts";
import { openOldPaths } from "./old-systems/old-paths.ts";

export const modules = [
  reportingModule,
  attendanceModule,
  pushRelayModule,
  tuitionPaymentModule,
  diseaseCommandModule,
] as const satisfies readonly ServiceModule[];

const listed: readonly ServiceModule[] = modules;

export const serviceNames: readonly string[] = listed.map(({ contract }) => contract.name);

const accountServices = listed
  .filter(({ contract }) => "login" in contract.endpoints)
  .map(({ contract }) => contract.name);

export function findModules(names: readonly string[]): readonly ServiceModule[] {
  const unknown = names.find((name) => !serviceNames.includes(name));
  if (unknown !== undefined) throw new Error(`unknown service ${unknown}`);
  return listed.filter(({ contract }) => names.includes(contract.name));
}

/**
 * The sealed columns of all services, including those not served by this process, since any process may encrypt the
 * whole database again.
 */
export const sealedColumns: readonly SealedColumn[] = [
  sealedPrivateKey,
  seedColumn,
  sealedAnswer,
  ...sealedNotices,
  ...listed.flatMap(({ sealed = [] }) => sealed),
];

const dimensions: Dimensions = Object.assign({}, ...listed.map(({ contract }) => contract.dimensions));

const platformContract = describePlatform(serviceNames, dimensions);

export const contracts: readonly ServiceContract[] = [platformContract, ...modules.map(({ contract }) => contract)];

export const conditions: readonly NamedCondition[] = [
  ...nameConditions("platform", [...platformConditions, ...accountConditions, setupOpen]),
  ...listed.flatMap((module) => nameConditions(module.contract.name, module.conditions ?? [])),
];

const notices: readonly NamedNotice[] = listed.flatMap((module) =>
  nameNotices(module.contract.name, module.notices ?? []),
);

export const listSetup = (names: readonly string[]): readonly NamedSetupItem[] => [
  ...nameSetup("platform", [...platformSetup, backupSetup]),
  ...findModules(names).flatMap(({ contract, setup = [] }) => nameSetup(contract.name, setup)),
];

/** @throws {SettingsError} if the settings do not allow one of the services to be served */
export function checkServices(settings: Settings, names: readonly string[]): void {
  const refusals = findModules(names).flatMap((module) => module.findRefusals?.(settings) ?? []);
  if (refusals.length > 0) throw new SettingsError(refusals);
}

export interface AppOptions {
  readonly services: readonly string[];
  readonly jobs: Pick<JobRunner, "isRunning">;
  readonly listParts: () => Promise<readonly Part[]>;
  readonly listSettings: () => SettingDescription[];
  readonly metrics?: readonly Metric[];
}

export interface App {
  readonly server: FastifyInstance;
  readonly services: readonly Service[];
  readonly hasConsole: boolean;
}

export async function buildApp(
  platform: Platform,
  { services: names, jobs, metrics, listParts, listSettings }: AppOptions,
): Promise<App> {
  const { settings, institution } = platform;
  const alerts = createAlerts({ platform, conditions, listParts }, names);
  const listHealth = async () => (await listParts()).map((part) => judge(part, conditions));
  const services = [
    createOperators(platform, platformContract, {
      listHealth,
      listSettings,
      serviceNames,
      accountServices,
      alerts,
      notices: createNotices({ platform, kinds: notices }),
      setup: listSetup(names),
      dimensions,
      scopes: findModules(names),
    }),
    ...findModules(names).map((module) => module.create(platform)),
  ];
  const served = services.map(({ contract }) => contract);
  const constraints = Object.assign({}, ...services.map((service) => service.constraints ?? {}));

  const base = settings.BASE_PATH;
  const renderMissing = compileMissingPage(base, served, institution);
  const findMoved = openOldPaths(platform.pool, settings, listed);
  const server = await createServer(platform, { served, known: contracts, constraints, renderMissing, findMoved });
  serveProbes(server, platform, jobs);
  serveMetrics(server, platform, { services, conditions, listHealth, ...(metrics && { metrics }) });
  const hasConsole = serveConsole(server, served, settings, institution);
  const pages = servePages(
    server,
    services.flatMap((service) => service.pages ?? []),
    served,
    settings,
    institution,
  );
  servePlainPages(server, { base, contracts: served, pages, hasConsole, institution });
  serveDocuments(server, served, base, institution);
  await server.register(
    async (app) => {
      for (const service of services) serveContract(app, platform, service);
    },
    { prefix: base },
  );
  for (const { prepare } of services) await prepare?.();
  return { server, services, hasConsole };
}
