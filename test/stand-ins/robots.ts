import { createHmac } from "node:crypto";
import { type Loopback, type Received, startLoopback } from "./loopback.ts";

// Stand-ins for the group robots of WeCom and DingTalk, which take JSON by POST with the key or token in the query, and
// refuse with a code and status 200.

export interface Robot extends Loopback {
  readonly address: string;
  readonly texts: () => string[];
}

const textOf = ({ body }: Received): string => (body as { text: { content: string } }).text.content;
const answer = (errcode: number, errmsg: string) => ({ body: { errcode, errmsg } });

const mostWecomBytes = 2048;

export async function startWecomRobot(key: string): Promise<Robot> {
  const loopback = await startLoopback((request) => {
    if (request.path !== "/cgi-bin/webhook/send" || request.query["key"] !== key)
      return answer(93000, "invalid webhook url");
    if ((request.body as { msgtype?: string }).msgtype !== "text") return answer(40008, "invalid message type");
    return Buffer.byteLength(textOf(request)) > mostWecomBytes ? answer(40058, "content exceed") : answer(0, "ok");
  });
  return toRobot(loopback, `/cgi-bin/webhook/send?key=${key}`);
}

const mostAgeMs = 3_600_000;

export async function startDingtalkRobot(token: string, secret: string): Promise<Robot> {
  const loopback = await startLoopback(({ path, query, body }) => {
    const { access_token: given, timestamp = "", sign = "" } = query;
    if (path !== "/robot/send" || given !== token) return answer(300005, "token is not exist");
    const expected = createHmac("sha256", secret).update(`${timestamp}\n${secret}`).digest("base64");
    if (sign !== expected) return answer(310000, "sign not match");
    if (Math.abs(Date.now() - Number(timestamp)) > mostAgeMs) return answer(310000, "invalid timestamp");
    return (body as { msgtype?: string }).msgtype === "text" ? answer(0, "ok") : answer(40035, "invalid parameter");
  });
  return toRobot(loopback, `/robot/send?access_token=${token}`);
}

const toRobot = (loopback: Loopback, path: string): Robot => ({
  ...loopback,
  address: loopback.url + path,
  texts: () => loopback.received.map(textOf),
});
