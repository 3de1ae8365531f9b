import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { listOpenServices } from "#platform/process/config.ts";
import type { ServiceModule, StartLine } from "#platform/process/service.ts";
import { findModules } from "./app.ts";
import type { RunningServer } from "./serve.ts";
import type { Settings } from "./settings.ts";

type Started = Pick<RunningServer, "address" | "console" | "database" | "firstOperator" | "unsealed" | "warnings">;

/** What whoever starts the server is told: where it is, what it serves, and what is open that might be shut. */
export function describeStart(settings: Settings, started: Started, services: readonly string[]): string[] {
  const { address, console: consoleAddress, database, firstOperator, unsealed, warnings } = started;
  const modules = findModules(services);
  const open = listOpenServices(settings);
  return [
    `Quintet runs at     ${address}/`,
    `  services          ${modules.map(({ contract }) => contract.name).join(", ")}`,
    `  console           ${consoleAddress ?? "not built (npm run web)"}`,
    `  API reference     ${address}/docs`,
    `  database          ${database}`,
    `  data              ${settings.DATA_DIR}`,
    ...(unsealed ? ["  NOT SEALED        personal data and secrets in the database (DATA_KEY)"] : []),
    ...describeOpen(modules.filter(({ contract }) => open.includes(contract.name) && hasUndocumented(contract))),
    ...modules.flatMap((module) => module.describeStart?.(settings) ?? []).map(toLine),
    ...describeOperator(firstOperator),
    ...warnings.map((warning) => `  WARNING           ${warning}`),
  ];
}

const toLine = ([about, what]: StartLine): string => `  ${about.padEnd(17)} ${what}`;

const describeOpen = (open: readonly ServiceModule[]): string[] =>
  open.length > 0
    ? [
        `  OPEN TO ANYONE    operations without a documented header of ${open.map(({ contract }) => contract.name).join(", ")} (UNDOCUMENTED_AUTH)`,
      ]
    : [];

/** Whether the service has operations that UNDOCUMENTED_AUTH opens. */
const hasUndocumented = ({ endpoints }: ServiceContract): boolean =>
  Object.values(endpoints).some(({ access }) => access.who === "administrator" && access.headerUndocumented === true);

function describeOperator(operator: Started["firstOperator"]): string[] {
  if (operator.kind === "show")
    return [`  operator          ${operator.userName}`, `  password          ${operator.password}   (shown this once)`];
  return operator.kind === "written" ? [`  operator          ${operator.userName}, password in ${operator.file}`] : [];
}
