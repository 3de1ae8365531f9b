import * as z from "zod";
import type { Clock } from "#platform/contract/times.ts";
import { joinUrl } from "#platform/outbound/request.ts";
import { openAppToken, tokenAnswer } from "./app-token.ts";
import {
  callOutside,
  misconfigured,
  type Kind,
  OutsideError,
  overQuota,
  refused,
  unavailable,
} from "./outside-call.ts";

// DingTalk and WeCom report errors as a code in an answer with status 200.

const sentAnswer = z.object({ invaliduser: z.string().default("") });

const meanings: Readonly<Record<"dingtalk" | "wecom", Readonly<Record<number, Kind>>>> = {
  // The codes are those listed at open.dingtalk.com under "全局错误码"; 88 is also returned for too many calls.
  dingtalk: {
    [-1]: unavailable,
    88: overQuota,
    90018: overQuota,
    40014: unavailable,
    42001: unavailable,
    40089: misconfigured,
    40096: misconfigured,
    60011: misconfigured,
    60020: misconfigured,
  },
  // The codes are those listed at developer.work.weixin.qq.com/document/path/90313.
  wecom: {
    [-1]: unavailable,
    45009: overQuota,
    45033: overQuota,
    40014: unavailable,
    42001: unavailable,
    40001: misconfigured,
    40013: misconfigured,
    40056: misconfigured,
    48002: misconfigured,
    60020: misconfigured,
  },
};

interface AppOptions {
  readonly baseUrl: string;
  readonly id: string;
  readonly secret: string;
  readonly agentId: string;
  readonly timeoutMs: number;
  readonly now: Clock;
}

type App = (userId: string, text: string) => Promise<void>;

function openApp(
  service: "dingtalk" | "wecom",
  { baseUrl, timeoutMs, now }: AppOptions,
  tokenQuery: Record<string, string>,
) {
  const toError = (errcode: number): OutsideError =>
    new OutsideError("the call was rejected", { service, errcode, ...(meanings[service][errcode] ?? refused) });
  const ask = { service, timeoutMs, toError };
  const [tokenPath, sendPath] =
    service === "dingtalk"
      ? ["/gettoken", "/topapi/message/corpconversation/asyncsend_v2"]
      : ["/cgi-bin/gettoken", "/cgi-bin/message/send"];
  const lendToken = openAppToken(now, () =>
    callOutside({ ...ask, url: joinUrl(baseUrl, tokenPath, tokenQuery), answer: tokenAnswer }),
  );
  return (body: object) =>
    lendToken((token) =>
      callOutside({ ...ask, url: joinUrl(baseUrl, sendPath, { access_token: token }), body, answer: sentAnswer }),
    );
}

/**
 * A notice is for one person, but DingTalk takes several UserIds separated by commas, and WeCom takes several separated
 * by bars, or @all for everybody.
 */
function checkUserId(service: "dingtalk" | "wecom", userId: string): void {
  if (/[|,]|^@all$/i.test(userId)) throw new OutsideError("not the UserId of one person", { service, ...refused });
}

/**
 * DingTalk rejects a text that was already sent to the same person on the same day. The returned function throws
 * OutsideError.
 */
export function openDingtalkApp(options: AppOptions): App {
  const { id: appkey, secret: appsecret, agentId } = options;
  const send = openApp("dingtalk", options, { appkey, appsecret });
  return async (userId, content) => {
    checkUserId("dingtalk", userId);
    await send({ agent_id: agentId, userid_list: userId, msg: { msgtype: "text", text: { content } } });
  };
}

export function openWecomApp(options: AppOptions): App {
  const { id: corpid, secret: corpsecret, agentId } = options;
  const send = openApp("wecom", options, { corpid, corpsecret });
  return async (userId, content) => {
    checkUserId("wecom", userId);
    const body = { touser: userId, msgtype: "text", agentid: Number(agentId), text: { content } };
    const { invaliduser } = await send({ ...body, enable_duplicate_check: 1 });
    if (invaliduser !== "") throw new OutsideError("unknown UserId", { service: "wecom", ...refused });
  };
}
