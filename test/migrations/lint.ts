import { spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { numberOf, readMigration } from "#platform/database/migrations.ts";

// The rules are those of docs/decisions/38-upgrades.md.

/** Migrations up to this one belong to version 1.0.0 and ran on databases without data. */
const lastOfFirst = "0006";

const squawk = fileURLToPath(new URL("../../node_modules/squawk-cli/js/bin/squawk", import.meta.url));
// These rules do not apply: the runner sets timeouts, no migration has an enum type, each migration runs once, and
// integer columns are deliberate.
const unwanted = [
  "require-lock-timeout",
  "require-statement-timeout",
  "require-enum-value-ordering",
  "prefer-robust-stmts",
  "prefer-bigint-over-int",
  "prefer-bigint-over-smallint",
];
const ofContracting = [
  "ban-drop-column",
  "ban-drop-table",
  "ban-drop-not-null",
  "ban-truncate-cascade",
  "renaming-column",
  "renaming-table",
];

const contractsLine = /^-- contracts: \S/m;
const drops =
  /^(?:drop (?:function|procedure|view|materialized view|trigger|schema|type|domain|sequence)|alter (?!table)[^;]* rename|truncate)\b/;
const changesRows = /^(?:update|delete from|lock|merge)\b/;

export interface MigrationFile {
  readonly name: string;
  readonly sql: string;
}

export function findMigrationFaults({ name, sql }: MigrationFile, numbers: ReadonlySet<string>): string[] {
  try {
    const { beside, isOutside } = readMigration(name, sql);
    if (beside === undefined) return [`${name} does not say beside which program it may run (-- beside: 0006)`];
    const unknown = numbers.has(beside) ? [] : [`${name} names ${beside}, which no migration has`];
    return [...unknown, ...findStatementFaults(name, sql), ...askSquawk(name, sql, !isOutside)];
  } catch (error) {
    return [(error as Error).message];
  }
}

function findStatementFaults(name: string, sql: string): string[] {
  const contracts = contractsLine.test(sql);
  return listStatements(sql).flatMap(({ text, comment }) => {
    const said = `${name}: ${text.slice(0, 60).replaceAll(/\s+/g, " ")}`;
    if (drops.test(text) && !contracts) return [`${said}: takes away what programs beside it use (-- contracts: …)`];
    if (changesRows.test(text) && !comment.includes("few rows"))
      return [`${said}: holds its rows until all is done: a job does it in small pieces (or: -- few rows)`];
    return [];
  });
}

function listStatements(sql: string): { text: string; comment: string }[] {
  const plain = sql.replaceAll(/\$(\w*)\$[^]*?\$\1\$/g, "''");
  return plain.split(/;[^\S\n]*(?:\n|$)/).map((part) => {
    const lines = part.split("\n").map((line) => line.trim());
    const first = lines.findIndex((line) => line !== "" && !line.startsWith("--"));
    return {
      text: lines.slice(first === -1 ? lines.length : first).join("\n"),
      comment: lines.slice(0, first).join("\n"),
    };
  });
}

function askSquawk(name: string, sql: string, isInTransaction: boolean): string[] {
  const excluded = contractsLine.test(sql) ? [...unwanted, ...ofContracting] : unwanted;
  const args = [
    "--pg-version=14.0",
    "--reporter=gcc",
    `--stdin-filepath=${path.basename(name)}`,
    ...excluded.map((rule) => `--exclude=${rule}`),
    ...(isInTransaction ? ["--assume-in-transaction"] : []),
  ];
  const { status, stdout, stderr } = spawnSync(process.execPath, [squawk, ...args], { input: sql, encoding: "utf8" });
  if (status === 0) return [];
  const found = stdout.split("\n").filter((line) => line.startsWith(`${name}:`));
  return found.length > 0 ? found : [`${name}: squawk failed: ${stderr || stdout}`];
}

export const isLinted = ({ name }: MigrationFile): boolean => numberOf(name) > lastOfFirst;
