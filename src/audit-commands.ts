import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import {
  type ChainReport,
  checkChain,
  cutLines,
  parseAnchors,
  readAnchor,
  sealLines,
} from "#platform/accounts/chain/index.ts";
import { readAuditKeys } from "#platform/contract/audit-keys.ts";
import type { Pool } from "#platform/database/index.ts";
import type { Settings } from "./settings.ts";

/** What the commands need of the command line. */
export interface AuditTools {
  readonly loadSettings: () => Settings;
  readonly withDatabase: (work: (pool: Pool) => Promise<void>) => Promise<void>;
  readonly say: (line: string) => void;
  /** @throws {Error} for a text that is no moment */
  readonly toMoment: (text: string) => Date;
  /** Has the process end as one that failed. */
  readonly fail: () => void;
}

/** The commands that look after the audit log. */
export function addAuditCommands(
  program: Command,
  { loadSettings, withDatabase, say, toMoment, fail }: AuditTools,
): void {
  const audit = program.command("audit").description("the audit log, and the chain of hashes over it");
  audit
    .command("verify")
    .description("hold every line of the audit log against the chain, beside a running server too")
    .option("--against <file>", "anchors that were kept elsewhere: what `audit anchor` printed, or a log of the server")
    .action(({ against }: { against?: string }) =>
      withDatabase(async (pool) => {
        const anchors = against === undefined ? [] : await readAnchors(against);
        const report = await checkChain(pool, readAuditKeys(loadSettings().AUDIT_KEY), anchors);
        for (const line of describeReport(report)) say(line);
        if (report.faults > 0) fail();
      }),
    );
  audit
    .command("anchor")
    .description("seal what is written, and print the chain's end as one line of JSON, to be kept elsewhere")
    .action(() =>
      withDatabase(async (pool) => {
        await sealLines(pool, readAuditKeys(loadSettings().AUDIT_KEY)[0]);
        const anchor = await readAnchor(pool);
        if (!anchor) throw new Error("The audit log has no line yet.");
        say(JSON.stringify(anchor));
      }),
    );
  audit
    .command("cut")
    .description("remove the oldest lines for good; the chain tells that it was on purpose")
    .requiredOption("--before <time>", "lines that are older, such as 2027-03-01T00:00:00+08:00", toMoment)
    .action(({ before }: { before: Date }) =>
      withDatabase(async (pool) => say(`${await cutLines(pool, before)} lines were removed.`)),
    );
}

async function readAnchors(file: string): Promise<ReturnType<typeof parseAnchors>> {
  const anchors = parseAnchors(await readFile(file, "utf8"));
  if (anchors.length === 0) throw new Error(`${file} has no anchor in it.`);
  return anchors;
}

function describeReport({ lines, cut, young, unadopted, withoutKey, anchors, faults, told }: ChainReport): string[] {
  return [
    ...told.map((fault) => `WRONG  ${fault}`),
    ...(faults > told.length ? [`WRONG  and ${faults - told.length} more`] : []),
    `${lines} lines are in the chain${withoutKey > 0 ? `, ${withoutKey} of them sealed without a key` : ""}.`,
    ...(cut > 0 ? [`${cut} older ones were removed on purpose.`] : []),
    ...(young + unadopted > 0 ? [`${young + unadopted} are young: written, and not sealed yet.`] : []),
    ...(anchors > 0 ? [`${anchors} anchors were looked for.`] : []),
    faults === 0 ? "Every line is what was sealed." : `${faults} faults: the audit log is not what was sealed.`,
  ];
}
