import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { createTokenCacheOver } from "#platform/messaging/token-cache.ts";
import type { CachedToken, TokenStore } from "#platform/messaging/token-cache.ts";

/** Opens two stores on the same, empty place, as two processes would; `close` runs after the test. */
export type OpenTokenStores = () => Promise<{
  first: TokenStore;
  second: TokenStore;
  close?: () => Promise<void>;
}>;

const never = () => false;
const expiresAtMs = Date.UTC(2030, 0, 1);
const tokenOf = (value: string): CachedToken => ({ value, expiresAtMs });
const shortLease = { leaseMs: 100, pollMs: 5 };

/** What every token store must do; run it against each implementation. */
export function testTokenStore(name: string, open: OpenTokenStores): void {
  const run = (title: string, body: (stores: { first: TokenStore; second: TokenStore }) => Promise<void>) =>
    test(title, async () => {
      const { close, ...stores } = await open();
      try {
        await body(stores);
      } finally {
        await close?.();
      }
    });

  describe(`token store: ${name}`, () => {
    run("an unknown token is null", async ({ first }) => {
      assert.equal(await createTokenCacheOver(first).find("app"), null);
    });

    run(
      "a refreshed token is seen by the other process, to the millisecond and at any length",
      async ({ first, second }) => {
        const token = { value: "t".repeat(2048), expiresAtMs: expiresAtMs + 123 };
        await createTokenCacheOver(first).refresh("app", {
          accept: never,
          fetch: async () => token,
        });
        assert.deepEqual(await createTokenCacheOver(second).find("app"), token);
      },
    );

    run("names do not meet", async ({ first, second }) => {
      await createTokenCacheOver(first).refresh("one", {
        accept: never,
        fetch: async () => tokenOf("1"),
      });
      await createTokenCacheOver(second).refresh("two", {
        accept: never,
        fetch: async () => tokenOf("2"),
      });
      assert.equal((await createTokenCacheOver(second).find("one"))?.value, "1");
    });

    run("a hundred callers in two processes fetch once", async ({ first, second }) => {
      let fetched = 0;
      const fetch = async () => tokenOf(`new ${++fetched}`);
      const caches = [createTokenCacheOver(first), createTokenCacheOver(second)];
      await caches[0]?.refresh("app", { accept: never, fetch: async () => tokenOf("old") });
      const accept = (token: CachedToken) => token.value !== "old";
      const calls = Array.from({ length: 100 }, (_, i) => caches[i % 2]?.refresh("app", { accept, fetch }));
      const values = (await Promise.all(calls)).map((token) => token?.value);
      assert.equal(fetched, 1);
      assert.deepEqual(new Set(values), new Set(["new 1"]));
    });

    run(
      "a token stored between the look and the claim is taken, and the lease given back",
      async ({ first, second }) => {
        await createTokenCacheOver(second).refresh("app", {
          accept: never,
          fetch: async () => tokenOf("new"),
        });
        const lateReader = { ...first, read: async () => ({ token: null, forced: null }) };
        const fetch = () => Promise.reject(new Error("fetched"));
        const token = await createTokenCacheOver(lateReader).refresh("app", {
          accept: () => true,
          fetch,
        });
        assert.equal(token?.value, "new");
        assert.notEqual(await second.claim("app", 1000), null);
      },
    );

    run("who cannot use what a neighbour in the same process fetched fetches too", async ({ first }) => {
      const cache = createTokenCacheOver(first);
      const one = cache.refresh("app", { accept: never, fetch: async () => tokenOf("one") });
      const accept = ({ value }: CachedToken) => value !== "one";
      const other = cache.refresh("app", { accept, fetch: async () => tokenOf("other") });
      assert.deepEqual([(await one)?.value, (await other)?.value], ["one", "other"]);
    });

    run("a failed fetch reaches the caller and frees the lease at once", async ({ first, second }) => {
      const failing = createTokenCacheOver(first).refresh("app", {
        accept: never,
        fetch: () => Promise.reject(new Error("down")),
      });
      await assert.rejects(failing, /down/);
      const times = { waitMs: 0 };
      const token = await createTokenCacheOver(second, times).refresh("app", {
        accept: never,
        fetch: async () => tokenOf("new"),
      });
      assert.equal(token?.value, "new");
    });

    run("a caller that has waited long enough gets null, and has fetched nothing", async ({ first, second }) => {
      assert.notEqual(await first.claim("app", 60_000), null);
      const times = { waitMs: 50, pollMs: 5 };
      const fetch = () => Promise.reject(new Error("fetched"));
      assert.equal(await createTokenCacheOver(second, times).refresh("app", { accept: never, fetch }), null);
    });

    run(
      "a lease outlived by its process is taken over, and the late writer changes nothing",
      async ({ first, second }) => {
        const late = new EventTarget();
        const started = new EventTarget();
        const slow = createTokenCacheOver(first, shortLease).refresh("app", {
          accept: never,
          async fetch({ noteForced }) {
            const go = once(late, "go");
            started.dispatchEvent(new Event("started"));
            await go;
            await noteForced({ lastAtMs: 1, count: 9 });
            return tokenOf("late");
          },
        });
        await once(started, "started");
        const taken = await createTokenCacheOver(second, shortLease).refresh("app", {
          accept: never,
          fetch: async () => tokenOf("new"),
        });
        late.dispatchEvent(new Event("go"));
        assert.equal((await slow)?.value, "late");
        assert.equal(taken?.value, "new");
        assert.deepEqual(await second.read("app"), { token: tokenOf("new"), forced: null });
      },
    );

    run("the late end of a lost lease does not end its successor's", async ({ first, second }) => {
      const lost = await first.claim("app", 0);
      const held = await second.claim("app", 60_000);
      assert.notEqual(held, null);
      await first.release("app", lost?.leaseId ?? "");
      assert.equal(await first.claim("app", 60_000), null);
    });

    run("a forced refresh is counted even when it fails", async ({ first, second }) => {
      const forced = { lastAtMs: expiresAtMs + 7, count: 3 };
      const failing = createTokenCacheOver(first).refresh("app", {
        accept: never,
        async fetch({ noteForced }) {
          await noteForced(forced);
          throw new Error("lost on the way");
        },
      });
      await assert.rejects(failing, /lost/);
      assert.deepEqual(await second.read("app"), { token: null, forced });
    });

    run("a lease shows what is stored", async ({ first, second }) => {
      await createTokenCacheOver(first).refresh("app", {
        accept: never,
        async fetch({ noteForced }) {
          await noteForced({ lastAtMs: 5000, count: 1 });
          return tokenOf("old");
        },
      });
      const claimed = await second.claim("app", 1000);
      assert.deepEqual(claimed?.stored, {
        token: tokenOf("old"),
        forced: { lastAtMs: 5000, count: 1 },
      });
    });
  });
}
