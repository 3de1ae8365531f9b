import { listOpenServices, type ServiceName, type Settings } from "#platform/process/config.ts";
import { contracts } from "./app.ts";
import type { RunningServer } from "./serve.ts";

type Started = Pick<RunningServer, "address" | "console" | "database" | "firstOperator" | "warnings">;

/** What whoever starts the server is told: where it is, what it serves, and what is open that might be shut. */
export function describeStart(settings: Settings, started: Started, services: readonly ServiceName[]): string[] {
  const { address, console: consoleAddress, database, firstOperator, warnings } = started;
  const isServed = (name: string) => services.some((wanted) => wanted === name);
  const names = contracts.map(({ name }) => name).filter(isServed);
  return [
    `Quintet runs at     ${address}/`,
    `  services          ${names.join(", ")}`,
    `  console           ${consoleAddress ?? "not built (npm run console)"}`,
    `  API reference     ${address}/docs`,
    `  database          ${database}`,
    `  data              ${settings.DATA_DIR}`,
    ...describeOpen(listOpenServices(settings).filter((name) => isServed(name) && hasUndocumented(name))),
    ...(isServed("tuition-payment") ? describeStudents(settings) : []),
    ...describeOperator(firstOperator),
    ...warnings.map((warning) => `  WARNING           ${warning}`),
  ];
}

const describeOpen = (open: readonly string[]): string[] =>
  open.length > 0
    ? [`  OPEN TO ANYONE    operations without a documented header of ${open.join(", ")} (UNDOCUMENTED_AUTH)`]
    : [];

/** Whether the service has operations that UNDOCUMENTED_AUTH opens. */
const hasUndocumented = (service: string): boolean =>
  contracts.some(
    ({ name, endpoints }) =>
      name === service &&
      Object.values(endpoints).some(({ access }) => access.who === "administrator" && access.headerUndocumented),
  );

function describeStudents({ STUDENT_IDENTITY: identity }: Settings): string[] {
  if (identity === undefined) return ["  students          not served: STUDENT_IDENTITY is not set"];
  return identity === "demo" ? ["  students          any card number is believed (STUDENT_IDENTITY=demo)"] : [];
}

function describeOperator(operator: Started["firstOperator"]): string[] {
  if (operator.kind === "show")
    return [`  operator          ${operator.userName}`, `  password          ${operator.password}   (shown this once)`];
  return operator.kind === "written" ? [`  operator          ${operator.userName}, password in ${operator.file}`] : [];
}
