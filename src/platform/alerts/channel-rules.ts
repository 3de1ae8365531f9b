import { explain, Problem } from "#platform/contract/problem.ts";
import { isMailAddress } from "#platform/outbound/mail-address.ts";
import { checkTarget } from "#platform/outbound/target.ts";
import type { Settings } from "#platform/process/config.ts";
import type { Channel, NamedCondition } from "./model.ts";
import { robotKeys } from "./robots.ts";

type Target = Pick<Channel, "kind" | "address" | "secret">;

const mostRecipients = 20;
const leastKeyBytes = 24;

/**
 * Whether a channel can be reached by what is said of it, as far as that can be told without asking anybody.
 * @throws {Problem} badFormat; notAllowedNow for a network that is not allowed; outsideNotConfigured for mail without a server.
 */
export function refuseBadTarget(target: Target, settings: Settings): void {
  if (target.kind === "mail") return refuseBadRecipients(target.address, settings);
  refuseBadAddress(target, settings.ALERT_ALLOWED_NETWORKS);
  if (target.kind === "webhook") refuseBadSecret(target.secret);
}

function refuseBadRecipients(address: string, { SMTP_URL, MAIL_FROM }: Settings): void {
  if (SMTP_URL === undefined || MAIL_FROM === undefined)
    throw explain("outsideNotConfigured", "SMTP_URL 与 MAIL_FROM 未设置", "SMTP_URL and MAIL_FROM are not set");
  const all = address.split(",");
  if (all.length > mostRecipients || !all.every(isMailAddress))
    throw explain(
      "badFormat",
      `address: 应为1到${mostRecipients}个邮件地址，以逗号分隔`,
      `address: must be 1 to ${mostRecipients} mail addresses separated by commas`,
    );
}

function refuseBadAddress({ kind, address }: Target, networks: readonly string[]): void {
  const verdict = checkTarget(address, networks);
  if (verdict === "refusedAddress")
    throw explain(
      "notAllowedNow",
      "address: 不允许发送到该网络地址",
      "address: it lies in a network that is not allowed",
    );
  if (verdict !== "ok")
    throw explain(
      "badFormat",
      "address: 应为不含用户名和密码的 http 或 https 地址",
      "address: must be an http or https address without user name and password",
    );
  if (kind === "wecom" || kind === "dingtalk") refuseKeyless(address, robotKeys[kind]);
}

function refuseKeyless(address: string, key: string): void {
  if (!new URL(address).searchParams.get(key))
    throw explain(
      "badFormat",
      `address: 应为群机器人给出的完整地址，含 ${key}=`,
      `address: must be the robot's whole address, with ${key}=`,
    );
}

function refuseBadSecret(secret: string): void {
  const [, text = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  if (Buffer.from(text, "base64").length < leastKeyBytes)
    throw explain(
      "badFormat",
      `secret: 应为 whsec_ 加至少${leastKeyBytes}字节的 base64`,
      `secret: must be whsec_ and base64 of at least ${leastKeyBytes} bytes`,
    );
}

/** @throws {Problem} notAllowedNow for a condition that there is none of. */
export function refuseUnknownConditions(ids: readonly string[] | null, known: readonly NamedCondition[]): void {
  const unknown = ids?.find((id) => known.every((one) => one.id !== id));
  if (unknown === undefined) return;
  throw new Problem("notAllowedNow", {
    detail: { zh: `conditions: 没有条件 ${unknown}`, en: `conditions: there is no ${unknown}` },
  });
}

/** As it may be shown: what is in the query of a robot's address lets somebody in, and so may that of a webhook. */
export function maskAddress({ kind, address }: Pick<Channel, "kind" | "address">): string {
  if (kind === "mail" || !URL.canParse(address)) return address;
  const { origin, pathname, search } = new URL(address);
  return search === "" ? address : `${origin}${pathname}?***`;
}
