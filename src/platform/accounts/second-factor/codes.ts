import { Secret, TOTP } from "otpauth";
import { explain, type Problem } from "#platform/contract/problem.ts";
import type { Db } from "#platform/database/index.ts";
import { type Handlers, withoutTransaction } from "#platform/process/handler.ts";
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

// All common authenticator apps support RFC 6238 with SHA-1, six digits and a period of 30 seconds.

const period = 30;
/** The codes of the previous and the next period are accepted too, to allow for clock skew and slow typing. */
const slack = 1;

const open = (seed: string, label = ""): TOTP =>
  new TOTP({ issuer: "Quintet", label, secret: Secret.fromBase32(seed), period });

function readCode(typed: string): string | undefined {
  const code = typed.replaceAll(/\s/g, "");
  // The check is needed because the library throws for six characters that have more than six bytes.
  return /^\d{6}$/.test(code) ? code : undefined;
}

function matchCode(seed: string, token: string, nowMs: number): number | undefined {
  const totp = open(seed);
  const delta = totp.validate({ token, timestamp: nowMs, window: slack });
  return delta === null ? undefined : totp.counter({ timestamp: nowMs }) + delta;
}

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
      if (!begun)
        throw explain(
          "notAllowedNow",
          "没有待确认的验证器，请重新绑定",
          "no authenticator is waiting for confirmation; start its setup again",
        );
      const step = matchCode(begun.seed, readCode(body.code) ?? "", platform.clock());
      if (step === undefined) throw wrongCode();
      audit.records = [begun.id];
      return enrol(db, caller, async () => {
        await confirmSeed(db, accountId, begun.id, step);
        return begun.id;
      });
    },
    showCode: withoutTransaction(async ({ db, body, caller, address }) => {
      const { accountId } = caller;
      const code = readCode(body.code);
      await verifyFactor(platform, { caller, address, action: "showCode" }, async (tx) => {
        if (code === undefined) {
          if (await useRecoveryCode(tx, accountId, body.code)) return { by: "recovery" };
          return explain("factorWrong", "恢复码错误或已使用", "the recovery code is wrong or already used");
        }
        const kept = await findSeed(tx, accountId, "confirmed");
        const step = kept && matchCode(kept.seed, code, platform.clock());
        if (!kept || step === undefined) return wrongCode();
        // If no row was updated, this code or a later one was already used.
        const used = await tx.count`
            update platform.factor set counter = ${step}, last_used_at = now()
            where id = ${kept.id} and counter < ${step}`;
        if (used === 1) return { by: "totp" };
        return explain(
          "factorWrong",
          "该验证码已使用过，请等待下一个",
          "this code has already been used: wait for the next one",
        );
      });
      return { recoveryCodes: await countRecoveryCodes(db, accountId) };
    }),
  }) satisfies Partial<Handlers<FactorEndpoints>>;
