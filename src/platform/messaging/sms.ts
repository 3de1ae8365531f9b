import { createHash, createHmac, randomUUID } from "node:crypto";
import * as z from "zod";
import { parseJson } from "#platform/contract/json.ts";
import type { Clock } from "#platform/contract/times.ts";
import { request } from "#platform/outbound/request.ts";
import { normalizePhone } from "#platform/sealing/keyring.ts";

interface Template {
  readonly id: string;
  readonly values: readonly (readonly [name: string, text: string])[];
}

interface SmsOptions {
  readonly baseUrl: string;
  readonly keyId: string;
  readonly keySecret: string;
  readonly sign: string;
  readonly appId: string;
  readonly region: string;
  readonly timeoutMs: number;
  readonly now: Clock;
}

/** `code` is OK or the provider's error code; "" means that the answer was not understood. */
type Send = (phone: string, template: Template) => Promise<{ readonly status: number; readonly code: string }>;

const mostBytes = 64 * 1024;
/** RFC 3986 requires some characters to be escaped that encodeURIComponent leaves as they are. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const toQuery = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, text]) => `${encode(name)}=${encode(text)}`)
    .join("&");

export function signAliyun(parameters: Readonly<Record<string, string>>, secret: string): string {
  const signed = `GET&${encode("/")}&${encode(toQuery(parameters))}`;
  return createHmac("sha1", `${secret}&`).update(signed).digest("base64");
}

const aliyunAnswer = z.object({ Code: z.string() }).transform(({ Code }) => Code);

export const openAliyunSms =
  ({ baseUrl, keyId, keySecret, sign, region, timeoutMs, now }: SmsOptions): Send =>
  async (phone, { id, values }) => {
    const parameters = {
      AccessKeyId: keyId,
      Action: "SendSms",
      Format: "JSON",
      PhoneNumbers: normalizePhone(phone),
      RegionId: region,
      SignName: sign,
      SignatureMethod: "HMAC-SHA1",
      SignatureNonce: randomUUID(),
      SignatureVersion: "1.0",
      TemplateCode: id,
      TemplateParam: JSON.stringify(Object.fromEntries(values)),
      Timestamp: new Date(now()).toISOString().replace(/\.\d+/, ""),
      Version: "2017-05-25",
    };
    const query = toQuery({ ...parameters, Signature: signAliyun(parameters, keySecret) });
    const url = new URL(`${baseUrl.replace(/\/+$/, "")}/?${query}`);
    const { status, body } = await request({ whom: "aliyun sms", method: "GET", url, timeoutMs, mostBytes });
    return { status, code: aliyunAnswer.safeParse(parseJson(body.toString())).data ?? "" };
  };

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

interface Signed {
  readonly keyId: string;
  readonly keySecret: string;
  readonly service: string;
  readonly host: string;
  readonly payload: string;
  readonly seconds: number;
}

const jsonType = "application/json; charset=utf-8";

export function signTencent({ keyId, keySecret, service, host, payload, seconds }: Signed): string {
  const headers = "content-type;host";
  const asked = `POST\n/\n\ncontent-type:${jsonType}\nhost:${host}\n\n${headers}\n${sha256(payload)}`;
  const day = new Date(seconds * 1000).toISOString().slice(0, 10);
  const scope = `${day}/${service}/tc3_request`;
  const key = hmac(hmac(hmac(`TC3${keySecret}`, day), service), "tc3_request");
  const signature = hmac(key, `TC3-HMAC-SHA256\n${seconds}\n${scope}\n${sha256(asked)}`).toString("hex");
  return `TC3-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${headers}, Signature=${signature}`;
}

const tencentAnswer = z
  .object({
    Response: z.union([
      z.object({ Error: z.object({ Code: z.string() }) }),
      z.object({ SendStatusSet: z.tuple([z.object({ Code: z.string() })]) }),
    ]),
  })
  .transform(({ Response }) => ("Error" in Response ? Response.Error.Code : Response.SendStatusSet[0].Code));

export const openTencentSms =
  ({ baseUrl, keyId, keySecret, sign, appId, region, timeoutMs, now }: SmsOptions): Send =>
  async (phone, { id, values }) => {
    const url = new URL(baseUrl);
    const seconds = Math.floor(now() / 1000);
    const dialled = normalizePhone(phone);
    const payload = JSON.stringify({
      PhoneNumberSet: [dialled.startsWith("+") ? dialled : `+86${dialled}`],
      SmsSdkAppId: appId,
      SignName: sign,
      TemplateId: id,
      TemplateParamSet: values.map(([, text]) => text),
    });
    const headers = {
      "content-type": jsonType,
      "x-tc-action": "SendSms",
      "x-tc-version": "2021-01-11",
      "x-tc-region": region,
      "x-tc-timestamp": String(seconds),
      authorization: signTencent({ keyId, keySecret, service: "sms", host: url.host, payload, seconds }),
    };
    const asked = { whom: "tencent sms", method: "POST", url, headers, body: payload, timeoutMs, mostBytes } as const;
    const { status, body } = await request(asked);
    const code = tencentAnswer.safeParse(parseJson(body.toString())).data ?? "";
    return { status, code: code === "Ok" ? "OK" : code };
  };
