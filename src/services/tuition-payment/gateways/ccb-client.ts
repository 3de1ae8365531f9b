import { exchange } from "./exchange.ts";
import { GatewayError, unbelievable } from "./gateway.ts";

// The client is a program of the bank that runs in the merchant's network and has the merchant's certificate. It takes
// XML in a form field and returns XML in GB18030, both unsigned, so the network must be trusted.

export interface CcbClient {
  readonly url: string;
  readonly merchantId: string;
  readonly user: string;
  readonly password: string;
  readonly timeoutMs: number;
}

export type CcbRecord = (name: string) => string;

const done = "000000";
const noSuchRecord = "YDCA02910001";
/**
 * The bank's error codes for a query that finds nothing. In the response to any other request, such a code is a
 * refusal.
 */
export const nothingFound: ReadonlySet<string | undefined> = new Set(["0250E0200001", noSuchRecord]);
/** The client or the bank timed out, so the outcome is unknown. */
const open = "0130Z110TIME";

let lastRequest = Date.now() * 1000;

export async function callCcb(client: CcbClient, code: string, info: Readonly<Record<string, string>>) {
  // A request number has at most 16 digits. Starting from the time keeps the numbers unique after a restart.
  const requestNo = String(++lastRequest).slice(-16);
  const answer = await exchange({
    gateway: "ccb",
    url: new URL(client.url),
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `requestXml=${encodeURIComponent(writeRequest(client, code, requestNo, info))}`,
    timeoutMs: client.timeoutMs,
    mostBytes: 4 * 1024 * 1024,
  });
  if (answer.status !== 200) throw unbelievable("ccb", `the response has the status ${answer.status}`);
  return readAnswer(new TextDecoder("gb18030").decode(answer.body), code, requestNo);
}

function writeRequest(
  { merchantId, user, password }: CcbClient,
  code: string,
  requestNo: string,
  info: Readonly<Record<string, string>>,
): string {
  const head = {
    REQUEST_SN: requestNo,
    CUST_ID: merchantId,
    USER_ID: user,
    PASSWORD: password,
    TX_CODE: code,
    LANGUAGE: "CN",
  };
  return `<?xml version="1.0" encoding="GB2312" standalone="yes" ?><TX>${writeElements(head)}<TX_INFO>${writeElements(info)}</TX_INFO></TX>`;
}

const writeElements = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `<${name}>${value.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</${name}>`)
    .join("");

function readAnswer(xml: string, code: string, requestNo: string) {
  if (!/<\/TX>\s*$/.test(xml)) throw unbelievable("ccb", "the response is incomplete or does not follow the protocol");
  const value = readElement(xml);
  const result = value("RETURN_CODE");
  const answered = value("TX_CODE") || (result === noSuchRecord ? code : "");
  if (value("REQUEST_SN") !== requestNo || answered !== code)
    throw unbelievable("ccb", "the response belongs to another request");
  if (result !== done && !/^[0-9A-Z]{6,12}$/.test(result))
    throw unbelievable("ccb", "the response does not follow the protocol");
  if (result !== done)
    throw new GatewayError("ccb", result === open ? "unknown" : "refused", "the gateway rejected the request", result);
  return { value, list: [...xml.matchAll(/<LIST>(.*?)<\/LIST>/gs)].map(([, content = ""]) => readElement(content)) };
}

/** Reads an element without attributes and children; returns "" if the element is empty or missing. */
const readElement =
  (xml: string): CcbRecord =>
  (name) => {
    const start = xml.indexOf(`<${name}>`);
    const end = xml.indexOf(`</${name}>`, start);
    return start === -1 || end === -1 ? "" : xml.slice(start + name.length + 2, end).trim();
  };
