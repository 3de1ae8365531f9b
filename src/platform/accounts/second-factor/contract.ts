import * as z from "zod";
import { ofAccounts, written } from "#platform/accounts/administrator-contract.ts";
import { endpoint } from "#platform/contract/endpoint.ts";
import { dateTime, freeText, recordId, requiredText } from "#platform/contract/wire.ts";

const at = "/platform/factor";

const base64url = (most: number) => requiredText(most).describe("base64url");
const code = requiredText(64);
const name = requiredText(64).describe("As its owner knows it, such as the phone that it is on");
const knownTransports = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;
const transports = z.array(z.enum(knownTransports)).max(7).describe("How a browser reaches the authenticator");
const descriptor = z.object({ id: base64url(1400), type: z.literal("public-key"), transports });

const ownFactors = z.object({
  required: z.boolean().describe("Whether the account must have one"),
  shown: z.boolean().describe("Whether this session has shown one"),
  factors: z.array(
    z.object({
      id: recordId(),
      kind: z.enum(["totp", "passkey"]),
      name: z.string(),
      createTime: dateTime(),
      lastUseTime: dateTime().nullable(),
    }),
  ),
  recoveryCodes: z.int().describe("How many are left"),
});

const recoveryCodes = z
  .array(z.string())
  .describe("Recovery codes, which are never told again; none where there were some already");

const enrolled = z.object({ id: recordId(), recoveryCodes });

const credential = <R extends z.ZodRawShape>(response: R) =>
  z.object({
    id: base64url(1400),
    rawId: base64url(1400),
    type: z.literal("public-key"),
    response: z.object({ clientDataJSON: base64url(8192), ...response }),
  });
const shown = credential({
  authenticatorData: base64url(8192),
  signature: base64url(8192),
  userHandle: freeText(1400).optional(),
});
const created = credential({ attestationObject: base64url(65_536), transports: transports.optional() });

const creationOptions = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.int() })),
  timeout: z.int(),
  attestation: z.literal("none"),
  authenticatorSelection: z.object({ residentKey: z.literal("preferred"), userVerification: z.literal("preferred") }),
  excludeCredentials: z.array(descriptor),
});

const requestOptions = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  userVerification: z.literal("preferred"),
  allowCredentials: z.array(descriptor),
});

const showing = { ...ofAccounts, method: "POST", secondFactor: "later" } as const;
const enrolling = { ...ofAccounts, method: "POST", secondFactor: "first" } as const;

const ofOwn = {
  readOwnFactors: endpoint({
    ...ofAccounts,
    method: "GET",
    url: `${at}/own`,
    summary: "One's own second factors",
    secondFactor: "later",
    answer: { as: "envelope", data: ownFactors },
  }),
  showCode: endpoint({
    ...showing,
    url: `${at}/show/code`,
    summary: "Show a one-time code or a recovery code: the session has its second factor from then on",
    body: z.object({ code: code.describe("Six digits, or a recovery code; each is good once") }),
    answer: { as: "envelope", data: z.object({ recoveryCodes: z.int().describe("How many are left") }) },
    holdsSecret: true,
    problems: ["factorWrong", "accountLocked", "notAllowedNow"],
  }),
  beginShowPasskey: endpoint({
    ...showing,
    url: `${at}/show/passkey/begin`,
    summary: "What a passkey is asked to sign, once and within five minutes",
    answer: { as: "envelope", data: requestOptions },
    problems: ["notAllowedNow"],
  }),
  showPasskey: endpoint({
    ...showing,
    url: `${at}/show/passkey`,
    summary: "Show a passkey: the session has its second factor from then on",
    body: z.object({ response: shown }),
    answer: written,
    problems: ["factorWrong", "accountLocked", "notAllowedNow"],
  }),
  beginTotp: endpoint({
    ...enrolling,
    url: `${at}/totp/begin`,
    summary: "A new secret for one-time codes; it holds once its first code has come",
    body: z.object({ name }),
    answer: {
      as: "envelope",
      data: z.object({
        secret: z.string().describe("In base32, to be typed"),
        uri: z.string().describe("otpauth://…, to be shown as a QR code"),
      }),
    },
    holdsSecret: true,
  }),
  confirmTotp: endpoint({
    ...enrolling,
    url: `${at}/totp/confirm`,
    summary: "Show the first code of the new secret; the secret before it is gone",
    body: z.object({ code }),
    answer: { as: "envelope", data: enrolled },
    holdsSecret: true,
    problems: ["factorWrong", "notAllowedNow"],
  }),
  beginPasskey: endpoint({
    ...enrolling,
    url: `${at}/passkey/begin`,
    summary: "What a browser makes a passkey by, once and within five minutes",
    answer: { as: "envelope", data: creationOptions },
    problems: ["notAllowedNow"],
  }),
  addPasskey: endpoint({
    ...enrolling,
    url: `${at}/passkey/save`,
    summary: "Add the passkey that the browser made",
    body: z.object({ name, response: created }),
    answer: { as: "envelope", data: enrolled },
    holdsSecret: true,
    problems: ["factorWrong", "notAllowedNow", "alreadyExists"],
  }),
  renameFactor: endpoint({
    ...ofAccounts,
    method: "PUT",
    url: `${at}/update`,
    summary: "Give a second factor of one's own another name",
    body: z.object({ id: recordId(), name }),
    answer: written,
    problems: ["notFound"],
  }),
  deleteFactor: endpoint({
    ...ofAccounts,
    method: "DELETE",
    url: `${at}/delete`,
    summary: "Take a second factor of one's own away; with the last one go the recovery codes",
    secondFactor: "again",
    body: z.object({ id: recordId() }),
    answer: written,
    problems: ["notFound", "notAllowedNow"],
  }),
  renewRecoveryCodes: endpoint({
    ...ofAccounts,
    method: "POST",
    url: `${at}/recoveryCodes`,
    summary: "Ten new recovery codes; those before are worth nothing any more",
    secondFactor: "again",
    answer: { as: "envelope", data: recoveryCodes },
    holdsSecret: true,
    problems: ["notAllowedNow"],
  }),
};

const helping = (services: readonly string[]) => ({
  listFactorHolders: endpoint({
    ...ofAccounts,
    method: "GET",
    url: `${at}/holders`,
    summary: "Which accounts of the service have a second factor",
    query: z.object({ service: z.enum(["platform", ...services]) }),
    answer: {
      as: "envelope",
      data: z.array(
        z.object({
          accountId: recordId(),
          totp: z.boolean(),
          passkeys: z.int(),
          recoveryCodes: z.int().describe("How many are left"),
        }),
      ),
    },
  }),
  resetFactors: endpoint({
    ...ofAccounts,
    method: "POST",
    changesAccounts: true,
    url: `${at}/reset`,
    summary: "Take all second factors of another's account away, and sign it out everywhere",
    secondFactor: "again",
    body: z.object({ id: recordId().describe("The account") }),
    answer: written,
    problems: ["notFound"],
  }),
});

export const factorEndpoints = (services: readonly string[]) => ({ ...ofOwn, ...helping(services) });

export type FactorEndpoints = ReturnType<typeof factorEndpoints>;
export type Transport = (typeof knownTransports)[number];
export type PasskeyShown = z.output<typeof shown>;
export type PasskeyCreated = z.output<typeof created>;
