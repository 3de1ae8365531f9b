import { defineTexts } from "#shared/language/language.ts";

export const useFaultWords = defineTexts({
  noAnswer: (seconds: number) => [`${seconds} 秒内没有应答`, `No response within ${seconds} s`],
  http: (code: string) => [`接收方应答 HTTP ${code}`, `The receiver responded with HTTP ${code}`],
  redirect: (code: string) => [
    `接收方应答 HTTP ${code}：不跟随重定向`,
    `The receiver responded with HTTP ${code}: redirects are not followed`,
  ],
  "the address is not allowed": ["地址不在允许的网段内", "The address is not in an allowed network"],
  "no connection in time": ["连接超时", "Connection timed out"],
  "the connection was closed without a response": [
    "连接已断开，没有应答",
    "The connection was closed without a response",
  ],
  "Quintet stopped before the response arrived": [
    "服务停止时尚未收到应答",
    "The server stopped before the response arrived",
  ],
  "the response headers are too large": ["应答头过大", "The response headers are too large"],
  "the response is not HTTP": ["应答不是 HTTP", "The response is not HTTP"],
  "the code in the response is not 0": ["接收方应答的 code 不是 0", "The receiver responded with a code other than 0"],
  "invalid response": ["应答无效", "Invalid response"],
  "no connection, ECONNREFUSED": ["无法连接：对方没有监听该端口", "Cannot connect: nothing is listening on that port"],
  "no connection, ENOTFOUND": ["无法连接：域名无法解析", "Cannot connect: the host name is unknown"],
  "no connection, ECONNRESET": ["无法连接：连接被重置", "Cannot connect: the connection was reset"],
  noConnection: (code: string) => [`无法连接（${code}）`, `Cannot connect (${code})`],
});

type Words = ReturnType<typeof useFaultWords>;

export function describeFault(error: string, words: Words): string {
  const text = (words as Readonly<Record<string, unknown>>)[error];
  if (typeof text === "string") return text;
  const [, code, redirected] = /^HTTP (\d+)(:.*)?$/.exec(error) ?? [];
  if (code !== undefined) return redirected ? words.redirect(code) : words.http(code);
  const [, ms] = /^no response within (\d+) ms$/.exec(error) ?? [];
  if (ms !== undefined) return words.noAnswer(Number(ms) / 1000);
  const [, fault] = /^no connection, (\w+)$/.exec(error) ?? [];
  return fault === undefined ? error : words.noConnection(fault);
}
