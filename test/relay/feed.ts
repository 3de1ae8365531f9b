import assert from "node:assert/strict";
import { encrypt } from "#services/push-relay/cipher.ts";
import { operatorPassword } from "#test/crash/server.ts";

export type Feed = (address: string, data: unknown) => Promise<boolean>;

export const keys = { appKey: "0A1B2C3D4E5F6071", appSecret: "00112233445566778899AABBCCDDEEFF" };

interface NamedReceiver {
  readonly name: string;
  readonly url: string;
  readonly more?: Readonly<Record<string, unknown>>;
  key?: string;
}

export async function register(address: string, projects: readonly NamedReceiver[]): Promise<Feed> {
  const login = await send(`${address}/platform/login`, { userName: "operator", password: operatorPassword });
  const { token } = login.data as { token: string };
  const schoolCode = "1000000001";
  await send(`${address}/wx/push/campusApp/save`, { ...keys, schoolCode, name: "torment" }, token);
  for (const project of projects) {
    const { name, url, more = {} } = project;
    const { code, data: id } = await send(`${address}/wx/push/addPushProject`, { url, project: name, ...more }, token);
    assert.equal(code, "0");
    if (!more["pull"]) continue;
    const made = await send(`${address}/wx/push/project/rotateKey?id=${String(id)}`, undefined, token, "PUT");
    ({ key: project.key } = made.data as { key: string });
  }
  return async (address, data) => {
    const raw_data = encrypt(JSON.stringify(data), keys);
    const body = { app_key: keys.appKey, school_code: schoolCode, event: "updateUser", raw_data };
    return send(`${address}/wx/wxc/receive`, body).then(
      ({ code }) => Number(code) === 0,
      () => false,
    );
  };
}

interface Reply {
  readonly code: string | number;
  readonly data?: unknown;
}

async function send(url: string, body: unknown, token?: string, method = "POST"): Promise<Reply> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token ? { admin_token: token } : {}),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
  return (await response.json()) as Reply;
}
