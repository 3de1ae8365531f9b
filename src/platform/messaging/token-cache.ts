import { setTimeout as pause } from "node:timers/promises";

/** An access token of an outside platform, and when it ends (epoch milliseconds). */
export type CachedToken = { value: string; expiresAtMs: number };

/** How often the token was replaced by force, counted for the day of the last time. */
export type ForcedCount = { lastAtMs: number; count: number };

export type StoredToken = { token: CachedToken | null; forced: ForcedCount | null };

/** What one process may do while it alone refreshes a token. */
export type TokenLease = StoredToken & {
  /** Written before a forced refresh is asked for: one that is lost on the way counts too. */
  noteForced: (forced: ForcedCount) => Promise<void>;
};

export type TokenRefresh = {
  /** Whether a token that another caller stored meanwhile will do. */
  accept: (token: CachedToken) => boolean;
  /** Gets a new one. Runs in one process at a time, outside any transaction. */
  fetch: (lease: TokenLease) => Promise<CachedToken>;
};

/** Tokens shared by all processes. */
export type TokenCache = {
  find(name: string): Promise<CachedToken | null>;
  /**
   * Refreshes a token once for all who ask at that time, in this process and others.
   * Null when another process has been at it for longer than one cares to wait. What `fetch` throws is thrown.
   */
  refresh(name: string, request: TokenRefresh): Promise<CachedToken | null>;
};

/**
 * Where tokens and leases are kept. A lease ends by itself, so that a process that dies holding one blocks nobody;
 * writes under a lease that was lost do nothing.
 */
export type TokenStore = {
  read(name: string): Promise<StoredToken>;
  claim(name: string, leaseMs: number): Promise<{ leaseId: string; stored: StoredToken } | null>;
  saveForced(name: string, leaseId: string, forced: ForcedCount): Promise<void>;
  saveToken(name: string, leaseId: string, token: CachedToken): Promise<void>;
  release(name: string, leaseId: string): Promise<void>;
};

export type TokenCacheTimes = {
  /** Above the longest refresh: three requests of the default 5 s. */
  leaseMs: number;
  /** How long a caller waits for another process. */
  waitMs: number;
  pollMs: number;
};

const defaultTimes: TokenCacheTimes = { leaseMs: 30_000, waitMs: 10_000, pollMs: 50 };

/** The cache's behaviour, over any store. */
export function createTokenCacheOver(store: TokenStore, times: Partial<TokenCacheTimes> = {}): TokenCache {
  const running = new Map<string, Promise<CachedToken | null>>();
  const allTimes = { ...defaultTimes, ...times };

  async function refresh(name: string, request: TokenRefresh): Promise<CachedToken | null> {
    for (let other = running.get(name); other !== undefined; other = running.get(name)) {
      const token = await other;
      if (token === null || request.accept(token)) return token;
    }
    const own = refreshAcross(store, name, request, allTimes).finally(() => running.delete(name));
    running.set(name, own);
    return own;
  }

  return { find: async (name) => (await store.read(name)).token, refresh };
}

async function refreshAcross(
  store: TokenStore,
  name: string,
  request: TokenRefresh,
  { leaseMs, waitMs, pollMs }: TokenCacheTimes,
): Promise<CachedToken | null> {
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    const { token } = await store.read(name);
    if (token !== null && request.accept(token)) return token;
    const lease = await store.claim(name, leaseMs);
    if (lease !== null) return refreshUnder(store, name, lease, request);
    if (performance.now() >= deadlineMs) return null;
    await pause(pollMs);
  }
}

async function refreshUnder(
  store: TokenStore,
  name: string,
  { leaseId, stored }: { leaseId: string; stored: StoredToken },
  request: TokenRefresh,
): Promise<CachedToken> {
  try {
    // Another process may have finished between the read and the claim.
    if (stored.token !== null && request.accept(stored.token)) return stored.token;
    const token = await request.fetch({
      ...stored,
      noteForced: (forced) => store.saveForced(name, leaseId, forced),
    });
    await store.saveToken(name, leaseId, token);
    return token;
  } finally {
    await store.release(name, leaseId);
  }
}
