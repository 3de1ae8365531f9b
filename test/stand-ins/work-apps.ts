import { type Answer, type Loopback, type Received, startLoopback } from "./loopback.ts";

// Stand-ins for DingTalk and WeCom applications: a client gets a token by key and secret in the query, then posts with
// the token in the query; a refusal is a code with status 200.

export interface Told {
  readonly to: string;
  readonly text: string;
}

export interface WorkApp extends Loopback {
  readonly told: Told[];
  readonly forgetToken: () => void;
}

const answer = (errcode: number, more: object = {}): Answer => ({ body: { errcode, errmsg: "said", ...more } });

interface Shape {
  readonly tokenPath: string;
  readonly sendPath: string;
  readonly mayHaveToken: (query: Received["query"]) => boolean;
  readonly refusal: number;
  readonly read: (body: unknown) => Told | undefined;
  readonly unknown: Answer;
}

async function startApp({ tokenPath, sendPath, mayHaveToken, refusal, read, unknown }: Shape): Promise<WorkApp> {
  let count = 0;
  const told: Told[] = [];
  const loopback = await startLoopback(({ path, query, body }) => {
    if (path === tokenPath)
      return mayHaveToken(query) ? answer(0, { access_token: `token-${count}`, expires_in: 7200 }) : answer(refusal);
    if (path !== sendPath) return answer(404);
    if (query["access_token"] !== `token-${count}`) return answer(40014);
    const message = read(body);
    if (message === undefined) return answer(40035);
    if (message.to.startsWith("nobody")) return unknown;
    told.push(message);
    return answer(0);
  });
  return { ...loopback, told, forgetToken: () => void count++ };
}

type Body = Record<string, unknown> & {
  text?: { content: string };
  msg?: { msgtype?: string; text?: { content: string } };
};

export const startDingtalkApp = (key: string, secret: string, agent: string): Promise<WorkApp> =>
  startApp({
    tokenPath: "/gettoken",
    sendPath: "/topapi/message/corpconversation/asyncsend_v2",
    mayHaveToken: ({ appkey, appsecret }) => appkey === key && appsecret === secret,
    refusal: 40096,
    read: (given) => {
      const { agent_id, userid_list, msg } = given as Body;
      const text = msg?.msgtype === "text" ? msg.text?.content : undefined;
      return agent_id === agent && text ? { to: String(userid_list), text } : undefined;
    },
    unknown: answer(33012),
  });

export const startWecomApp = (corp: string, secret: string, agent: number): Promise<WorkApp> =>
  startApp({
    tokenPath: "/cgi-bin/gettoken",
    sendPath: "/cgi-bin/message/send",
    mayHaveToken: ({ corpid, corpsecret }) => corpid === corp && corpsecret === secret,
    refusal: 40001,
    read: (given) => {
      const { touser, msgtype, agentid, text } = given as Body;
      return msgtype === "text" && agentid === agent && text ? { to: String(touser), text: text.content } : undefined;
    },
    unknown: answer(0, { invaliduser: "nobody" }),
  });
