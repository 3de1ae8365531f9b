import { testTokenStore } from "#test/stand-ins/token-cache-conformance.ts";
import { createMemoryTokenStore } from "./memory-token-store.ts";

testTokenStore("memory", async () => {
  const store = createMemoryTokenStore();
  return { first: store, second: store };
});
