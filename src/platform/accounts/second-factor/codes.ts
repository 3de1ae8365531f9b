import { Secret, TOTP } from "otpauth";
import { explain, type Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import type { Handlers } from "#platform/process/handler.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { FactorEndpoints } from "./contract.ts";
import {
  confirmSeed,
  countRecoveryCodes,
  enrol,
  findSeed,
  insertSeed,
  verifyFactor,
  lockFactors,
  useRecoveryCode,
} from "./factors.ts";

// RFC 6238 as every phone has it: SHA-1, six digits, steps of 30 seconds.

const period = 30;
/** One step each way: a phone may be half a minute off, and a code typed slowly is still good. */
const slack = 1;

const open = (seed: string, label = ""): TOTP =>
  new TOTP({ issuer: "Quintet", label, secret: Secret.fromBase32(seed), period });

/** The six digits that were typed, spaces left out; undefined: it can be no code. */
function readCode(typed: string): string | undefined {
  const code = typed.replaceAll(/\s/g, "");
  // The library compares bytes, and throws where six characters have more than six.
  return /^\d{6}$/.test(code) ? code : undefined;
}

/** The step that a code is of; undefined: it is of none that counts now. @param nowMs epoch milliseconds */
function matchCode(seed: string, token: string, nowMs: number): number | undefined {
  const totp = open(seed);
  const delta = totp.validate({ token, timestamp: nowMs, window: slack });
  return delta === null ? undefined : totp.counter({ timestamp: nowMs }) + delta;
}

/** Gives a new account one-time codes without its owner, for the demonstration. */
export async function addSeed(tx: Db, accountId: number): Promise<{ secret: string }> {
  const secret = await insertSeed(tx, accountId, "phone");
  const begun = await findSeed(tx, accountId, "begun");
  if (begun) await confirmSeed(tx, accountId, begun.id, 0);
  return { secret };
}

const wrongCode = (): Problem => explain("factorWrong", "验证码错误", "the code is wrong");

export const codeHandlers = (platform: Platform) =>
  ({
    beginTotp: async ({ db, body, caller: { accountId, userName } }) => {
      await lockFactors(db, accountId);
      const secret = await insertSeed(db, accountId, body.name);
      return { secret, uri: open(secret, userName).toString() };
    },
    confirmTotp: async ({ db, body, caller, audit }) => {
      const { accountId } = caller;
      await lockFactors(db, accountId);
      const begun = await findSeed(db, accountId, "begun");
      if (!begun) throw explain("notAllowedNow", "没有待确认的验证器", "no secret waits for its first code");
      const step = matchCode(begun.seed, readCode(body.code) ?? "", platform.clock());
      if (step === undefined) throw wrongCode();
      audit.records = [begun.id];
      return enrol(db, caller, async () => {
        await confirmSeed(db, accountId, begun.id, step);
        return begun.id;
      });
    },
    showCode: {
      withoutTransaction: async ({ db, body, caller, address }) => {
        const { accountId } = caller;
        const code = readCode(body.code);
        await verifyFactor(platform, { caller, address, action: "showCode" }, async (tx) => {
          if (code === undefined) {
            if (await useRecoveryCode(tx, accountId, body.code)) return { by: "recovery" };
            return explain("factorWrong", "恢复码错误或已使用", "the recovery code is wrong or was used before");
          }
          const kept = await findSeed(tx, accountId, "confirmed");
          const step = kept && matchCode(kept.seed, code, platform.clock());
          if (!kept || step === undefined) return wrongCode();
          // None: it, or a later one, was used before.
          const used = await tx.count`
            update platform.factor set counter = ${step}, last_used_at = now()
            where id = ${kept.id} and counter < ${step}`;
          if (used === 1) return { by: "totp" };
          return explain(
            "factorWrong",
            "该验证码已使用过，请等待下一个",
            "the code was used before: wait for the next one",
          );
        });
        return { recoveryCodes: await countRecoveryCodes(db, accountId) };
      },
    },
  }) satisfies Partial<Handlers<FactorEndpoints>>;
