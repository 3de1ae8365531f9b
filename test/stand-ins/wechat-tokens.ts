import { randomBytes } from "node:crypto";

type Token = { value: string; expiresAtMs: number; revoked: boolean };

export type TokenBook = {
  /** Issues the token of POST /cgi-bin/stable_token. Returns null if today's forced refreshes are used up. */
  issue(force: boolean): { value: string; expiresInSeconds: number } | null;
  check(value: string): 0 | 40001 | 40014 | 42001;
  expireAll(): void;
  /** Invalidates every token, as a refresh elsewhere would; the next one issued is new. */
  revokeAll(): void;
};

const lifetimeMs = 7200_000;
/** Within this time before a token expires, a new token is issued; the old one stays valid until it expires. */
const overlapMs = 300_000;
const forcedPauseMs = 30_000;
const forcedPerDay = 20;

/**
 * Ordinary calls return the same stable token. Twenty forced refreshes a day are allowed. A forced refresh within 30 s
 * of the previous one also counts as one of the twenty but returns the same token.
 */
export function createTokenBook(now: () => number): TokenBook {
  const tokens: Token[] = [];
  let forcedAtMs: number[] = [];

  function issueNew(): Token {
    const token = {
      value: randomBytes(102).toString("base64url"),
      expiresAtMs: now() + lifetimeMs,
      revoked: false,
    };
    tokens.push(token);
    return token;
  }

  function findCurrent(): Token | undefined {
    const last = tokens.at(-1);
    return last !== undefined && !last.revoked && last.expiresAtMs - now() > overlapMs ? last : undefined;
  }

  function force(): boolean {
    forcedAtMs = forcedAtMs.filter((atMs) => toDay(atMs) === toDay(now()));
    if (forcedAtMs.length >= forcedPerDay) return false;
    const last = forcedAtMs.at(-1);
    forcedAtMs.push(now());
    if (last === undefined || now() - last >= forcedPauseMs) revokeAll();
    return true;
  }

  function revokeAll(): void {
    for (const token of tokens) token.revoked = true;
  }

  return {
    issue(byForce) {
      if (byForce && !force()) return null;
      const token = findCurrent() ?? issueNew();
      return {
        value: token.value,
        expiresInSeconds: Math.floor((token.expiresAtMs - now()) / 1000),
      };
    },
    check(value) {
      if (!/^[\w-]{32,512}$/.test(value)) return 40014;
      const token = tokens.find((one) => one.value === value);
      if (token === undefined || token.revoked) return 40001;
      return token.expiresAtMs <= now() ? 42001 : 0;
    },
    expireAll() {
      for (const token of tokens) token.expiresAtMs = now();
    },
    revokeAll,
  };
}

function toDay(atMs: number): number {
  return Math.floor((atMs + 8 * 3600_000) / 86_400_000);
}
