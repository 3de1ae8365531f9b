import { openSenders } from "#platform/alerts/index.ts";
import { seesOf } from "#platform/contract/caller.ts";
import { Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { openWriters } from "#platform/notices/index.ts";
import type { Condition } from "#platform/process/condition.ts";
import type { Handlers } from "#platform/process/handler.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { NamedSetupItem, SetupItem } from "#platform/process/setup.ts";
import type { SetupEndpoints } from "./setup-contract.ts";

const toSetting = (name: string): string => `/platform/settings?find=${name}`;

export const platformSetup: readonly SetupItem[] = [
  {
    name: "institution",
    title: { zh: "填写单位名称、标志与印章", en: "Enter the institution's name, logo and seal" },
    about: { zh: "页面、收据与通知上显示单位名称", en: "The name appears on pages, receipts and notices" },
    page: "/platform/institution",
    isDone: ({ institution }) => institution.current().name !== "",
  },
  {
    name: "data-key",
    title: { zh: "设置数据密钥", en: "Set a data key" },
    about: {
      zh: "没有密钥，身份证号、手机号与密钥以明文存储",
      en: "Without a key, identity cards, phone numbers and secrets are stored unencrypted",
    },
    page: toSetting("DATA_KEY"),
    isDone: ({ pool }) => pool.keys.currentId !== undefined,
  },
  {
    name: "second-factor",
    title: { zh: "决定是否要求两步验证", en: "Decide whether to require second factors" },
    about: {
      zh: "没有两步验证，仅凭密码即可登录账号",
      en: "Without a second factor, a password is enough to log in to an account",
    },
    page: toSetting("SECOND_FACTOR"),
    isDone: ({ settings }) => settings.SECOND_FACTOR !== undefined,
  },
  {
    name: "public-address",
    title: { zh: "设置 HTTPS 公开地址", en: "Set the public HTTPS address" },
    about: {
      zh: "通行密钥、支付回跳与通知中的链接需要此地址",
      en: "Passkeys, payment returns and links in notices require this address",
    },
    page: toSetting("PUBLIC_URL"),
    isDone: ({ settings }) => settings.PUBLIC_URL?.startsWith("https://") ?? false,
  },
  {
    name: "channel",
    title: { zh: "设置邮件或其他通知渠道", en: "Set up mail or another notification channel" },
    about: { zh: "没有渠道，告警与通知无人收到", en: "Without a channel, alerts and notices reach nobody" },
    page: toSetting("SMTP_URL"),
    isDone: ({ settings }) => openWriters(settings).size + openSenders(settings).size > 0,
  },
];

export const setupOpen: Condition = {
  name: "setup-open",
  title: { zh: "初始设置未完成", en: "Setup is incomplete" },
  remedy: {
    zh: "在首页逐项完成设置，不需要的项目可以搁置",
    en: "Complete the setup list on the home page, or postpone items that are not needed",
  },
  severity: "warning",
  of: { part: "setup", holds: ({ open }) => Number(open) > 0 },
};

async function listSetup(platform: Platform, db: Db, items: readonly NamedSetupItem[]) {
  const aside = new Set(await db.values<string>`select item from platform.setup_aside`);
  return Promise.all(
    items.map(async (item) => {
      const { id, service, title, about, page } = item;
      const state = (await item.isDone(platform)) ? "done" : aside.has(id) ? "aside" : "open";
      return { id, service, title, about, page, state } as const;
    }),
  );
}

export const readSetupHealth = (platform: Platform, items: readonly NamedSetupItem[]): Promise<Part> =>
  readPart("setup", { zh: "初始设置", en: "Setup" }, async () => {
    const listed = await listSetup(platform, platform.pool, items);
    const count = (wanted: string): number => listed.filter(({ state }) => state === wanted).length;
    return { open: count("open"), done: count("done"), aside: count("aside") };
  });

export const setupHandlers = (platform: Platform, items: readonly NamedSetupItem[]): Handlers<SetupEndpoints> => ({
  readSetup: async ({ db, caller }) =>
    listSetup(
      platform,
      db,
      items.filter(({ service }) => seesOf(caller, service)),
    ),
  changeSetup: async ({ db, body: { id, aside }, caller, audit }) => {
    if (!items.some((item) => item.id === id && seesOf(caller, item.service))) throw new Problem("notFound");
    await (aside
      ? db.send`insert into platform.setup_aside (item) values (${id}) on conflict do nothing`
      : db.send`delete from platform.setup_aside where item = ${id}`);
    audit.records = [id];
    audit.detail = { aside };
    return "1";
  },
});
