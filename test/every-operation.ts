import fc from "fast-check";
import type * as z from "zod";
import type { Endpoint, ServiceContract } from "#platform/contract/endpoint.ts";
import { requiredGroup } from "#platform/contract/rights.ts";
import type { RightGroup } from "#platform/contract/endpoint.ts";
import type { ServiceModule } from "#platform/process/service.ts";
import { conditions, contracts, modules, serviceNames } from "#quintet/app.ts";
import type { SignedIn, TestApp } from "#test/app.ts";
import { fillIn, templatesOf } from "#test/property/generate.ts";

export interface Operation {
  readonly contract: ServiceContract;
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly takes: RightGroup;
}

/**
 * All operations that require a right or an account, except signing out, which would end the walk, and event streams,
 * which do not end.
 */
export const operations: readonly Operation[] = contracts.flatMap((contract) =>
  Object.entries(contract.endpoints).flatMap(([name, endpoint]) => {
    const takes = requiredGroup(endpoint);
    const isLeftOut = takes === undefined || name === "logout" || endpoint.answer.as === "events";
    return isLeftOut ? [] : [{ contract, name, endpoint, takes }];
  }),
);

type Asked = Omit<Operation, "takes">;
const ask = ({ call }: TestApp, { token }: SignedIn, { endpoint: { method, url } }: Asked, more: object = {}) =>
  call(method, url.replace(/:\w+/g, "987654321"), { token, ...more });

/** Runs at most eight calls at a time, since the test app's pool has eight connections. */
async function eightAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += 8) results.push(...(await Promise.all(items.slice(at, at + 8).map(work))));
  return results;
}

/** Whether the account has the operation's right. A write is sent with a body that has no effect. */
export async function isLetIn(app: TestApp, who: SignedIn, operation: Asked): Promise<boolean> {
  const { json } = await ask(app, who, operation, operation.endpoint.method === "GET" ? {} : { body: "nothing" });
  return String(json?.code) !== operation.contract.problems.forbidden.code;
}

/**
 * Returns the number of calls, and the operations wrongly permitted or refused.
 * @param has whether the account has the right
 * @param part a sample of the operations: every `each`-th, starting at the index `from`; by default all
 */
export async function findWronglyAnswered(
  app: TestApp,
  who: SignedIn,
  has: (right: string) => boolean,
  { each, from }: { readonly each: number; readonly from: number } = { each: 1, from: 0 },
) {
  const asked = operations.filter((_, index) => index % each === from);
  const found = await eightAtOnce(asked, async (operation) => {
    const { contract, name, takes } = operation;
    const may = takes === "own" || has(`${contract.name}.${takes}`);
    return (await isLetIn(app, who, operation)) === may ? [] : [`${contract.name} ${name}`];
  });
  return { asked: asked.length, wrong: found.flat() };
}

/**
 * Creates accounts with sessions, keys, campus identities, second factors and alerts for the platform and every
 * service. Returns, for each service, the ids of all these except the second factors; no two services share an id.
 */
export async function fillPlatform({ pool, signIn }: TestApp): Promise<ReadonlyMap<string, number[]>> {
  for (const [index, table] of ["account", "session", "access_key", "external_identity", "alert"].entries())
    await pool.script(`alter table platform.${table} alter column id restart with ${(index + 1) * 1000}`);
  const filled = new Map<string, number[]>();
  for (const service of ["platform", ...serviceNames]) {
    const userName = `only-${service}`;
    const { id } = await signIn(service, { userName });
    const condition = conditions.find((one) => one.service === service)?.id ?? `${service}.none`;
    const rows = await pool<{ id: number }[]>`
      with program as (
        insert into platform.account (service, user_name, services, rights)
        values ('service-account', ${`${userName} program`}, ${service === "platform" ? null : [service]},
          ${[`${service}.read`]}) returning id
      ), key as (
        insert into platform.access_key (account_id, name, secret_hash, expires_at)
        select id, ${userName}, '', now() + interval '1 day' from program returning id
      ), identity as (
        insert into platform.external_identity (provider, issuer, identity, account_id)
        values ('cas', 'https://cas.example', ${userName}, ${id}) returning id
      ), alert as (
        insert into platform.alert (condition, subject, says_zh, says_en, figures, since, seen_at, opened_at)
        values (${condition}, ${userName}, '', '', '{}', now(), now() + interval '1 day', now()) returning id
      ), factor as (
        insert into platform.factor (account_id, kind, name, seed, confirmed_at)
        values (${id}, 'totp', ${userName}, 'x', now())
      )
      select id from program union all select id from key union all select id from identity union all select id from alert
      union all select id from platform.session where account_id = ${id}`;
    filled.set(service, [id, ...rows.map((row) => row.id)]);
    await pool`insert into platform.access_key_use (key_id, day, uses, last_at)
      select id, current_date, 7, now() from platform.access_key where name = ${userName}`;
  }
  return filled;
}

function marksOf(service: string, ids: readonly number[] = []): RegExp {
  const listed: readonly ServiceModule[] = modules;
  const keys = Object.keys(listed.find(({ contract }) => contract.name === service)?.settings?.shape ?? {});
  return new RegExp(
    `"(?:${service}(?:\\.[^"]*)?|only-${service}[^"]*${keys.map((key) => `|${key}`).join("")})"|"(?:id|accountId)":(?:${ids.join("|")})\\b|"uses":7`,
  );
}

const isId = (field: string): boolean => /^id$|Id$/.test(field);

/** Yields a body or query for each pair of id and service; the pair fills the id fields and the field `service`. */
function* aimAt({ method, query, body }: Endpoint, ids: readonly number[], services: readonly string[]) {
  const schema = method === "GET" ? query : body;
  const shape: Readonly<Record<string, z.ZodType>> | undefined = (schema as z.ZodObject | undefined)?.shape;
  const fields = Object.keys(shape ?? (schema ? { id: 0 } : {}));
  for (const service of fields.includes("service") ? ["", ...services] : [""])
    for (const id of fields.some(isId) ? ids : [1]) {
      const named = { id, accountId: id, service, pageSize: 1000, curPage: 1, currPage: 1, format: "jsonl" };
      const [value] = schema ? fc.sample(templatesOf(schema), { numRuns: 1, seed: id }) : [];
      const own = Array.isArray(value) ? [id] : fillIn(value, () => undefined);
      if (!shape) yield { body: own };
      else if (method !== "GET")
        yield { body: { ...(own as object), ...pick(named, ["id", "accountId", "service"], shape) } };
      else yield { query: pick(named, Object.keys(named), shape) };
    }
}

const pick = (
  named: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  shape: Readonly<Record<string, z.ZodType>>,
) =>
  Object.fromEntries(
    fields.filter((field) => shape[field]?.safeParse(named[field]).success).map((field) => [field, named[field]]),
  );

/**
 * Calls the operations as a user of one service, with the ids and names of the other services. Returns the number of
 * calls, and a description of each answer that discloses another service's data or permits a change to it.
 */
export async function findForeignAnswers(
  app: TestApp,
  who: SignedIn,
  own: string,
  filled: ReadonlyMap<string, number[]>,
) {
  const others = serviceNames.filter((one) => one !== own);
  const ids = others.flatMap((one) => filled.get(one) ?? []);
  const marks = others.map((one) => marksOf(one, filled.get(one)));
  const foreign: string[] = [];
  let asked = 0;
  for (const operation of operations) {
    const { contract, name, endpoint } = operation;
    if (others.includes(contract.name)) {
      asked++;
      if (await isLetIn(app, who, operation)) foreign.push(`${contract.name} ${name} is answered`);
      continue;
    }
    // Writes of the user's own service are skipped, since the user may make them. Writes of the platform are sent; with
    // `readOthers` the test checks that they leave the rows of other services unchanged.
    if (contract.name === own && endpoint.method !== "GET") continue;
    const answers = await eightAtOnce([...aimAt(endpoint, ids, others)], async (more) => {
      const { text, json } = await ask(app, who, operation, more);
      // A write that names another service's data must fail, even if a later write would undo it.
      const named = endpoint.method !== "GET" && /^\[|"(?:id|accountId)":/.test(JSON.stringify(more.body ?? null));
      return { text, isForeign: (named && json?.code === "0") || marks.some((mark) => mark.test(text)) };
    });
    asked += answers.length;
    const telling = answers.find(({ isForeign }) => isForeign);
    if (telling) foreign.push(`${contract.name} ${name} answers ${telling.text.slice(0, 300)}`);
  }
  return { asked, foreign };
}

export async function readOthers({ pool }: TestApp, own: string): Promise<string[]> {
  const rows = await pool<{ row: string }[]>`
    select account::text as row from platform.account as account where user_name like 'only-%'
    union all select session.id::text from platform.session join platform.account on account.id = account_id
      where user_name like 'only-%'
    union all select key::text from platform.access_key as key
    union all select 'identity ' || identity from platform.external_identity
    union all select 'factor ' || name from platform.factor where name like 'only-%'
    union all select 'mute ' || subject from platform.alert_mute`;
  return rows
    .map(({ row }) => row)
    .filter((row) => !row.includes(`only-${own}`))
    .toSorted();
}
