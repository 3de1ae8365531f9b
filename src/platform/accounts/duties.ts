import type { Caller } from "#platform/contract/caller.ts";
import { chooseDuty, listDuties } from "#platform/contract/rights.ts";
import type { Pool } from "#platform/database/index.ts";
import { type Condition, isAbove } from "#platform/process/condition.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";

type Holder = Pick<Caller, "service" | "userName" | "rights" | "isSuper">;

async function readDuties(pool: Pool) {
  const holders = await pool<Holder[]>`
    select service, user_name as "userName", rights, super as "isSuper" from platform.account where enabled order by id`;
  const having = holders.filter(({ service, rights }) => service === "platform" && rights?.length !== 0);
  const duties = having.map(chooseDuty);
  const combining = holders.filter(({ rights }) => listDuties(rights ?? []).length > 1);
  const count = (duty: string) => duties.filter((one) => one === duty).length;
  const figures = { system: count("system"), security: count("security"), audit: count("audit") };
  return { names: combining.map(({ userName }) => userName), figures: { ...figures, combining: combining.length } };
}

export const readDutyHealth = ({ pool }: Platform): Promise<Part> =>
  readPart("duties", { zh: "职责分离", en: "Separation of duties" }, async () => (await readDuties(pool)).figures);

export async function warnOfDuties({ pool }: Platform): Promise<string[]> {
  const { names, figures } = await readDuties(pool);
  const warnings = [];
  if (names.length > 0)
    warnings.push(
      `SEPARATE_DUTIES: these accounts have more than one duty and are limited to the security duty: ${names.join(", ")}`,
    );
  if (figures.system === 0 || figures.audit === 0)
    warnings.push(
      "SEPARATE_DUTIES: the system duty or the audit duty has no operator; a security operator must assign both",
    );
  return warnings;
}

export const dutiesCombined: Condition = {
  name: "duties-combined",
  title: { zh: "职责未分离", en: "Duties are not separated" },
  remedy: {
    zh: "请安全管理员为兼任多种职责的账号只保留一种职责，并分别指定系统管理员与审计管理员",
    en: "A security operator must leave only one duty to each account and assign the system and audit duties to different operators",
  },
  severity: "warning",
  of: {
    part: "duties",
    holds: ({ combining, system, audit }) => isAbove(combining, 0) || system === 0 || audit === 0,
  },
};
