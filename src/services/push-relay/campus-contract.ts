import * as z from "zod";
import {
  asInt32,
  checkedText,
  countBytes,
  dateTime,
  freeText,
  network,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";

export const campusEvents = [
  "addUser",
  "updateUser",
  "deleteUser",
  "addOrg",
  "updateOrg",
  "deleteOrg",
  "addUsableRange",
  "updateUsableRange",
  "deleteUsableRange",
] as const;
export type CampusEvent = (typeof campusEvents)[number];

const keyBytes = 16;
const mostRawData = 1024 * 1024;
const mostNetworks = 100;

const appKey = checkedText((text) => countBytes(text) === keyBytes, 255, {
  zh: "应为16个字节",
  en: "must be 16 bytes long",
})
  .describe("`app_key` of the application at the campus platform, which encrypts pushes with this key")
  .meta({ examples: ["0A1B2C3D4E5F6071", "FEDCBA9876543210"] });

const appSecret = checkedText((text) => /^[\x20-\x7e]{16}/.test(text), 255, {
  zh: "至少16个字符，且前16个为ASCII字符",
  en: "must have at least 16 characters, the first 16 of them ASCII",
})
  .describe("Secret of the application; never returned")
  .meta({ examples: ["00112233445566778899AABBCCDDEEFF"] });

const schoolCode = requiredText()
  .describe("School entity code")
  .meta({ examples: ["1000000001", "1000000002", "1000000003"] });

const applicationName = requiredText().describe("Display name");

const allowedNetworks = z.array(network()).max(mostNetworks).describe("Allowed client networks; empty: any");

const secretRequired = z
  .boolean()
  .describe(
    "true: only accept pushes that contain `app_secret`; otherwise, anybody who has seen a push can forge pushes",
  );

export const campusPush = z.object({
  app_key: requiredText().meta({ examples: ["0A1B2C3D4E5F6071"] }),
  app_secret: freeText()
    .optional()
    .describe("Secret of the application; verified if present")
    .meta({ examples: ["00112233445566778899AABBCCDDEEFF"] }),
  school_code: requiredText().meta({ examples: ["1000000001"] }),
  event: z.enum(campusEvents),
  raw_data: requiredText(mostRawData)
    .describe("JSON object, encrypted with AES-128-CBC, padded with zeros and written in hex or base64")
    .meta({
      examples: [
        "b275c11a5807435842c5fcaaa282f46a6e1838b7220a57361731cdf7fcad3d77138781b16c818f038eef44eeff5dfb1df2e5985c8643d5546f2c1083d4753b71",
      ],
    }),
});

export const pushReply = z.object({
  code: asInt32(z.int()).describe("0: the push was stored; any other code: send the push again"),
  message: z.string(),
});

export const campusApplication = z.object({
  id: recordId(),
  appKey: z.string(),
  schoolCode: z.string(),
  name: z.string(),
  allowedNetworks: z.array(z.string()),
  secretRequired: z.boolean(),
});

export const applicationBody = {
  appKey,
  appSecret,
  schoolCode,
  name: applicationName,
  allowedNetworks: allowedNetworks.optional(),
  secretRequired: secretRequired.optional(),
};

export const subjectKinds = ["person", "organisation"] as const;

export const directoryEntry = z.object({
  kind: z.enum(subjectKinds),
  subject: z.string(),
  name: z.string().nullable(),
  data: z.record(z.string(), z.unknown()).describe("Data as last sent by the campus platform"),
  updateTime: dateTime(),
});

export const directoryFields = ["subject", "name", "updateTime"] as const;
