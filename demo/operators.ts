import { makePassword } from "#platform/accounts/operators/index.ts";
import type { DemoTools } from "./tools.ts";

const reader = "demo-reader";
const script = "demo-script";

type Tools = Pick<DemoTools, "say" | "call">;

const hasName = async ({ call }: Tools, path: string, userName: string): Promise<boolean> => {
  const { list } = (await call("GET", `${path}?pageSize=1000`)) as { list: { userName: string }[] };
  return list.some((one) => one.userName === userName);
};

export async function loadReader(tools: Tools, services: readonly string[]): Promise<void> {
  if (await hasName(tools, "/platform/operator/list", reader)) return;
  const password = makePassword();
  const rights = ["platform.read", ...services.flatMap((service) => [`${service}.read`, `${service}.export`])];
  await tools.call("POST", "/platform/operator/save", { userName: reader, name: "只读", rights, password });
  tools.say(`operator with the rights to read and export only: ${reader}, password ${password}`);
}

export async function loadScript(tools: Tools, server: string): Promise<void> {
  const path = "/platform/serviceAccount";
  if (await hasName(tools, `${path}/list`, script)) return;
  const account = { userName: script, name: "每晚导出", rights: ["platform.audit"] };
  const accountId = Number(await tools.call("POST", `${path}/save`, account));
  const { key } = (await tools.call("POST", `${path}/key/save`, { accountId, name: "cron", days: 90 })) as {
    key: string;
  };
  tools.say(
    `access key for programs, shown only once: curl "${server}/platform/audit" -H "Authorization: Bearer ${key}"`,
  );
}
