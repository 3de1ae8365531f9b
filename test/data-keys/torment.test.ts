import { test } from "node:test";
import { atLength } from "#test/at-length.ts";
import { torment } from "./torment.ts";

test(
  "payables are sealed while they are read and written and the command is killed; a slice of what torture runs",
  atLength,
  async (t) => {
    const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31));
    await torment({ seed, payables: 6000, kills: 1, say: (line) => t.diagnostic(`SEED=${seed} ${line}`) });
  },
);
