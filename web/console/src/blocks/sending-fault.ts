/** How a push or an alert can fail on its way to a receiver. */
export const faultWords = {
  zh: {
    noAnswer: (seconds: number) => `${seconds} 秒内没有应答`,
    http: (code: string) => `接收方应答 HTTP ${code}`,
    redirect: (code: string) => `接收方应答 HTTP ${code}：不跟随重定向`,
    refusedAddress: "地址不在允许的网段内",
    connectTimeout: "连接超时",
    closed: "连接已断开，没有应答",
    tooLarge: "应答头过大",
    notHttp: "应答不是 HTTP",
    unusable: "没有可用的应答",
    refused: "无法连接：对方没有监听该端口",
    unknownName: "无法连接：域名无法解析",
    reset: "无法连接：连接被重置",
    noConnection: (code: string) => `无法连接（${code}）`,
  },
  en: {
    noAnswer: (seconds: number) => `No response within ${seconds} s`,
    http: (code: string) => `The receiver responded with HTTP ${code}`,
    redirect: (code: string) => `The receiver responded with HTTP ${code}: redirects are not followed`,
    refusedAddress: "The address is not in an allowed network",
    connectTimeout: "Connection timed out",
    closed: "The connection was closed without a response",
    tooLarge: "The response headers are too large",
    notHttp: "The response is not HTTP",
    unusable: "No usable response",
    refused: "Cannot connect: nothing is listening on that port",
    unknownName: "Cannot connect: the host name is unknown",
    reset: "Cannot connect: the connection was reset",
    noConnection: (code: string) => `Cannot connect (${code})`,
  },
};

type Words = (typeof faultWords)["zh" | "en"];

const named: Readonly<Record<string, keyof Words>> = {
  "the address is not allowed": "refusedAddress",
  "no connection in time": "connectTimeout",
  "the connection was closed without an answer": "closed",
  "the answer's head is too large": "tooLarge",
  "the answer is not HTTP": "notHttp",
  "no usable answer": "unusable",
  "no connection, ECONNREFUSED": "refused",
  "no connection, ENOTFOUND": "unknownName",
  "no connection, ECONNRESET": "reset",
};

/** What was written down about something that was not taken, in words of the page; what nobody knows stays as it is. */
export function describeFault(error: string, words: Words): string {
  const name = named[error];
  const text = name && words[name];
  if (typeof text === "string") return text;
  const [, code, redirected] = /^HTTP (\d+)(:.*)?$/.exec(error) ?? [];
  if (code !== undefined) return redirected ? words.redirect(code) : words.http(code);
  const [, ms] = /^no answer within (\d+) ms$/.exec(error) ?? [];
  if (ms !== undefined) return words.noAnswer(Number(ms) / 1000);
  const [, fault] = /^no connection, (\w+)$/.exec(error) ?? [];
  return fault === undefined ? error : words.noConnection(fault);
}
