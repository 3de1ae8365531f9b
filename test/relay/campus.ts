import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { encrypt } from "#services/push-relay/cipher.ts";
import type { Answer, CallOptions, TestApp } from "#test/app.ts";

export interface TestCampus {
  readonly id: number;
  readonly appKey: string;
  readonly appSecret: string;
  readonly schoolCode: string;
  /** Encrypts the data for the field raw_data: a string as it is, anything else as JSON. */
  seal(data: unknown): string;
  /** `change` replaces fields of the body; a field that is undefined in `change` is left out. */
  push(event: string, data: unknown, change?: Record<string, unknown>, options?: CallOptions): Promise<Answer>;
  tell(event: string, data: unknown): Promise<void>;
}

export interface CampusOptions {
  readonly token: string;
  readonly schoolCode?: string;
  readonly allowedNetworks?: readonly string[];
  readonly secretRequired?: boolean;
}

export async function registerCampus(
  app: TestApp,
  { token, schoolCode = "1000000001", allowedNetworks = [], secretRequired = false }: CampusOptions,
): Promise<TestCampus> {
  const [appKey, appSecret] = [randomBytes(8).toString("hex"), randomBytes(16).toString("hex")];
  const body = { appKey, appSecret, schoolCode, name: "示例校园", allowedNetworks, secretRequired };
  const saved = await app.call("POST", "/wx/push/campusApp/save", { token, body });
  assert.equal(saved.json.code, "0", saved.text);
  const seal = (data: unknown) =>
    encrypt(typeof data === "string" ? data : JSON.stringify(data), { appKey, appSecret });
  const push: TestCampus["push"] = (event, data, change = {}, options = {}) =>
    app.call("POST", "/wx/wxc/receive", {
      body: { app_key: appKey, app_secret: appSecret, school_code: schoolCode, event, raw_data: seal(data), ...change },
      ...options,
    });
  const tell = async (event: string, data: unknown) => {
    const { status, json, text } = await push(event, data);
    assert.deepEqual([status, json], [200, { code: 0, message: "ok" }], text);
  };
  return { id: Number(saved.json.data), appKey, appSecret, schoolCode, seal, push, tell };
}
