import * as z from "zod";
import { ofAccounts } from "#platform/accounts/administrator-contract.ts";
import { under } from "#platform/contract/endpoint.ts";
import { dateTime, freeText, recordId, requiredText } from "#platform/contract/wire.ts";

const at = "/platform/factor";
const account = under(at, ofAccounts);
const showing = under(at, { ...ofAccounts, secondFactor: "later" });
const enrolling = under(at, { ...ofAccounts, secondFactor: "first" });

const base64url = (most: number) => requiredText(most).describe("base64url");
const code = requiredText(64);
const name = requiredText(64).describe("Name chosen by the owner, such as the phone's model");
const knownTransports = ["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"] as const;
const transports = z.array(z.enum(knownTransports)).max(7).describe("WebAuthn transports");
const descriptor = z.object({ id: base64url(1400), type: z.literal("public-key"), transports });

const ownFactors = z.object({
  required: z.boolean().describe("Whether the account is required to have a second factor"),
  shown: z.boolean().describe("Whether this session has verified a second factor"),
  factors: z.array(
    z.object({
      id: recordId(),
      kind: z.enum(["totp", "passkey"]),
      name: z.string(),
      createTime: dateTime(),
      lastUseTime: dateTime().nullable(),
    }),
  ),
  recoveryCodes: z.int().describe("Remaining recovery codes"),
});

const recoveryCodes = z
  .array(z.string())
  .describe("New recovery codes, shown only once; empty if the account already has recovery codes");

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

const ofOwn = {
  readOwnFactors: account.get("/own", {
    summary: "List the caller's second factors",
    secondFactor: "later",
    data: ownFactors,
  }),
  showCode: showing.post("/show/code", {
    summary: "Verify the session's second factor by a one-time code or a recovery code",
    body: z.object({ code: code.describe("Six digits, or a recovery code; each works once") }),
    data: z.object({ recoveryCodes: z.int().describe("Remaining recovery codes") }),
    holdsSecret: true,
    problems: ["factorWrong", "accountLocked", "notAllowedNow"],
  }),
  beginShowPasskey: showing.post("/show/passkey/begin", {
    summary: "Create options for verifying a passkey (WebAuthn); usable once, within five minutes",
    data: requestOptions,
    problems: ["notAllowedNow"],
  }),
  showPasskey: showing.post("/show/passkey", {
    summary: "Verify the session's second factor by a passkey",
    body: z.object({ response: shown }),
    problems: ["factorWrong", "accountLocked", "notAllowedNow"],
  }),
  beginTotp: enrolling.post("/totp/begin", {
    summary: "Create a secret for one-time codes; it becomes active once a code is confirmed",
    body: z.object({ name }),
    data: z.object({
      secret: z.string().describe("Secret in base32, for manual entry"),
      uri: z.string().describe("otpauth://…, for a QR code"),
    }),
    holdsSecret: true,
  }),
  confirmTotp: enrolling.post("/totp/confirm", {
    summary: "Confirm the new secret with a code; it replaces the old secret",
    body: z.object({ code }),
    data: enrolled,
    holdsSecret: true,
    problems: ["factorWrong", "notAllowedNow"],
  }),
  beginPasskey: enrolling.post("/passkey/begin", {
    summary: "Create options for adding a passkey (WebAuthn); usable once, within five minutes",
    data: creationOptions,
    problems: ["notAllowedNow"],
  }),
  addPasskey: enrolling.post("/passkey/save", {
    summary: "Add a passkey",
    body: z.object({ name, response: created }),
    data: enrolled,
    holdsSecret: true,
    problems: ["factorWrong", "notAllowedNow", "alreadyExists"],
  }),
  renameFactor: account.put("/update", {
    summary: "Rename one of the caller's second factors",
    body: z.object({ id: recordId(), name }),
    problems: ["notFound"],
  }),
  deleteFactor: account.remove("/delete", {
    summary: "Delete one of the caller's second factors; deleting the last one also deletes the recovery codes",
    secondFactor: "again",
    body: z.object({ id: recordId() }),
    problems: ["notFound", "notAllowedNow"],
  }),
  renewRecoveryCodes: account.post("/recoveryCodes", {
    summary: "Create ten recovery codes; the previous ones stop working",
    secondFactor: "again",
    data: recoveryCodes,
    holdsSecret: true,
    problems: ["notAllowedNow"],
  }),
};

const helping = (services: readonly string[]) => ({
  listFactorHolders: account.get("/holders", {
    summary: "List the service's accounts that have a second factor",
    query: z.object({ service: z.enum(["platform", ...services]) }),
    data: z.array(
      z.object({
        accountId: recordId(),
        totp: z.boolean(),
        passkeys: z.int(),
        recoveryCodes: z.int().describe("Remaining recovery codes"),
      }),
    ),
  }),
  resetFactors: account.post("/reset", {
    changesAccounts: true,
    summary: "Delete all second factors of another account and end its sessions",
    secondFactor: "again",
    body: z.object({ id: recordId().describe("Id of the account") }),
    problems: ["notFound"],
  }),
});

export const factorEndpoints = (services: readonly string[]) => ({ ...ofOwn, ...helping(services) });

export type FactorEndpoints = ReturnType<typeof factorEndpoints>;
export type Transport = (typeof knownTransports)[number];
export type PasskeyShown = z.output<typeof shown>;
export type PasskeyCreated = z.output<typeof created>;
