import type { Endpoint } from "#platform/contract/endpoint.ts";
import { listOpenServices } from "#platform/process/config.ts";
import { findModules } from "./app.ts";
import type { RunningServer } from "./serve.ts";
import type { Settings } from "./settings.ts";

const isUndocumented = ({ access }: Endpoint): boolean =>
  access.who === "administrator" && access.headerUndocumented === true;

type Started = Pick<RunningServer, "address" | "console" | "database" | "firstOperator" | "unsealed" | "warnings">;

export function describeStart(settings: Settings, started: Started, services: readonly string[]): string[] {
  const { address, console: consoleAddress, database, firstOperator, unsealed, warnings } = started;
  const modules = findModules(services);
  const isOpen = listOpenServices(settings);
  const open = modules
    .map(({ contract }) => contract)
    .filter(({ name, endpoints }) => isOpen.includes(name) && Object.values(endpoints).some(isUndocumented))
    .map(({ name }) => name)
    .join(", ");
  return [
    `Quintet runs at     ${address}/`,
    `  services          ${modules.map(({ contract }) => contract.name).join(", ")}`,
    `  console           ${consoleAddress ?? "not built (npm run web)"}`,
    `  API reference     ${address}/docs`,
    `  database          ${database}`,
    `  data              ${settings.DATA_DIR}`,
    ...(unsealed ? ["  NOT ENCRYPTED     personal data and secrets in the database (DATA_KEY is not set)"] : []),
    ...(open ? [`  OPEN TO ANYONE    operations of ${open} without a documented header (UNDOCUMENTED_AUTH)`] : []),
    ...modules
      .flatMap((module) => module.describeStart?.(settings) ?? [])
      .map(([about, what]) => `  ${about.padEnd(17)} ${what}`),
    ...describeOperator(firstOperator),
    ...warnings.map((warning) => `  WARNING           ${warning}`),
  ];
}

function describeOperator(operator: RunningServer["firstOperator"]): string[] {
  if (operator.kind === "show")
    return [`  operator          ${operator.userName}`, `  password          ${operator.password}   (shown only once)`];
  return operator.kind === "written" ? [`  operator          ${operator.userName}, password in ${operator.file}`] : [];
}
