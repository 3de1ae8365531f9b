import { test } from "node:test";
import { needsLinux } from "#test/network-postgres.ts";
import { atLength } from "#test/at-length.ts";
import { playFailOver } from "./play.ts";

test(
  "a standby takes the place of a primary that is killed under load: nothing acknowledged is lost",
  { skip: needsLinux.skip || atLength.skip },
  (t) => playFailOver({ loss: "killed", calmMs: 1500, say: (line) => t.diagnostic(line) }),
);
