import { createHmac } from "node:crypto";
import type { CallerKind } from "./callers.ts";

export const cardSettings = {
  EMPLOYEE_IDENTITY: "signed",
  EMPLOYEE_IDENTITY_SECRET: "the secret of driven cards",
  STUDENT_IDENTITY: "signed",
  STUDENT_IDENTITY_SECRET: "the secret of driven cards",
} as const;

export const rightCard = "2022010001";
const present = (): string => String(Math.floor(Date.now() / 1000));

function sign(cardNumber: string, time: string, secret: string = cardSettings.STUDENT_IDENTITY_SECRET) {
  const sign = createHmac("sha256", secret).update(`${cardNumber}.${time}`).digest("hex");
  return { card_number: cardNumber, card_time: time, card_sign: sign };
}

const proofs: Readonly<Record<CallerKind, () => Record<string, string>>> = {
  right: () => sign(rightCard, present()),
  alsoRight: () => sign("2022010002", present()),
  none: () => ({}),
  empty: () => ({ ...sign(rightCard, present()), card_number: "" }),
  unknown: () => ({ ...sign(rightCard, present()), card_sign: "0".repeat(64) }),
  long: () => ({ ...sign(rightCard, present()), card_sign: "k".repeat(6000) }),
  lower: () => sign(rightCard, present(), "another secret of cards"),
  foreign: () => ({ ...sign("2022010002", present()), card_number: rightCard }),
  revoked: () => sign(rightCard, String(Number(present()) - 600)),
};

export const proveCard = (kind: CallerKind, named = "card_number"): Record<string, string> =>
  Object.fromEntries(
    Object.entries(proofs[kind]()).map(([name, value]) => [
      named === "card_number" ? name : name.replace("card_number", named).replace("card_", "employee_"),
      value,
    ]),
  );
