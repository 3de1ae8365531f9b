import { Pool } from "undici";
import { openConnector, type ConnectorOptions } from "./connector.ts";
import type { Answer, Target } from "./model.ts";
import { post } from "./post.ts";
import { readKey, sign, signedHeaders } from "./signature.ts";

/** Pushes to one project, on connections of its own. */
export interface Sender {
  readonly target: Target;
  /** Signs and posts once; never throws. */
  send(publicId: string, body: Buffer): Promise<Answer>;
  /** Cuts off what is under way. */
  destroy(): void;
  /** Lets go once what is under way is done. */
  close(): void;
}

export interface SenderOptions extends ConnectorOptions {
  readonly connections: number;
  readonly nowMs: () => number;
}

/**
 * Many receivers close an idle connection after two seconds and do not say so; a push that meets the closing would
 * count as failed. A busy project's connections are never idle for so long.
 */
const idleMs = 1000;
const mostHeadBytes = 16 * 1024;
const fixedHeaders = ["content-type", "application/json", "user-agent", "Quintet"];

export function openSender(target: Target, options: SenderOptions): Sender {
  const { origin, pathname, search } = new URL(target.url);
  const pool = new Pool(origin, {
    connections: options.connections,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    maxHeaderSize: mostHeadBytes,
    connect: openConnector(options),
  });
  const key = readKey(target.secret);
  const oldKey = target.oldSecret === null ? undefined : readKey(target.oldSecret);
  const oldUntilMs = target.oldSecretUntil?.getTime() ?? 0;
  const path = pathname + search;
  const send = (publicId: string, body: Buffer): Promise<Answer> => {
    const nowMs = options.nowMs();
    const keys = oldKey && nowMs < oldUntilMs ? [key, oldKey] : [key];
    const signed = sign(publicId, body, keys, nowMs);
    const headers = [...fixedHeaders];
    for (const name of signedHeaders) headers.push(name, signed[name]);
    return post(pool, { path, headers, body, timeoutMs: options.timeoutMs });
  };
  const ignore = () => undefined;
  return {
    target,
    send,
    destroy: () => void pool.destroy().catch(ignore),
    close: () => void pool.close().catch(ignore),
  };
}
