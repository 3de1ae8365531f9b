import * as z from "zod";
import { endpoint, type ServiceContract } from "#platform/contract/endpoint.ts";
import {
  asInt32,
  checkedText,
  dateTime,
  decimal,
  freeText,
  listQuery,
  network,
  oneOfNumbers,
  pageOf,
  recordId,
  requiredText,
} from "#platform/contract/wire.ts";
import { deliveryExchanges } from "./exchange-contract.ts";
import { pushProblems } from "./problem-contract.ts";

/** What the campus platform tells of: people, organisations, and whom an application is visible to. */
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

export const deliveryStatuses = ["pending", "delivered", "dead"] as const;
export const subjectKinds = ["person", "organisation"] as const;

const keyBytes = 16;
/** No less than the body may have. */
const mostRawData = 1024 * 1024;
const mostNetworks = 100;
const mostUrlBytes = 1024;
const mostReplayed = 10_000;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const appKey = checkedText((text) => bytesOf(text) === keyBytes, 255, {
  zh: "应为16个字节",
  en: "must have 16 bytes",
})
  .describe("Key of the application at the campus platform; encrypts what it pushes")
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

const applicationName = requiredText().describe("What people call the application");

const allowedNetworks = z
  .array(network())
  .max(mostNetworks)
  .describe("From where the application may push; none means from anywhere");

const secretRequired = z
  .boolean()
  .describe("Take only pushes with app_secret in them: what decrypts may be of anybody who has seen one push");

const url = checkedText(isWebAddress, mostUrlBytes, {
  zh: `应为 http 或 https 地址，最多${mostUrlBytes}个字节`,
  en: `must be an http or https address of at most ${mostUrlBytes} bytes`,
})
  .describe("Where the events go: a POST of JSON")
  .meta({ examples: ["http://127.0.0.1:9080/campus-events"] });

function isWebAddress(text: string): boolean {
  return bytesOf(text) <= mostUrlBytes && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

const project = freeText().optional().describe("Name of the project or service; left out: the host, with its port");
const statu = oneOfNumbers([0, 1]).describe("0 valid, 1 invalid");

const pushReply = z.object({
  code: asInt32(z.int()).describe("0: it is on disk; anything else: push it again"),
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

export const pushProject = z.object({
  id: recordId(),
  url: z.string(),
  project: z.string(),
  statu,
  createTime: dateTime(),
  pending: z.int().min(0).describe("Deliveries that are not done"),
  dead: z.int().min(0).describe("Deliveries that were given up; they can be replayed"),
  lastSuccessTime: dateTime().nullable(),
  lastError: z.string().nullable().describe("Of the last attempt that failed; null once one succeeds"),
  paused: z.boolean(),
  flagged: z.boolean().describe("It has failed for three days"),
});

const deliveryFields = {
  id: recordId(),
  eventId: z.string().describe("The forwarded body's id and the header webhook-id: the same at every attempt"),
  projectId: recordId(),
  event: z.string(),
  subject: z
    .string()
    .nullable()
    .describe("card_number, or the organisation's id; null when the event is about neither"),
  status: z.enum(deliveryStatuses),
  attempts: z.int().min(0),
  nextAttemptTime: dateTime().nullable(),
  lastStatusCode: z.int().nullable(),
  lastError: z.string().nullable(),
  createTime: dateTime(),
  deliveredTime: dateTime().nullable(),
};

export const delivery = z.object(deliveryFields);
export type DeliveryField = keyof z.output<typeof delivery>;

const deliverySortFields = Object.keys(deliveryFields).filter((field) => field !== "lastError") as [
  DeliveryField,
  ...DeliveryField[],
];

export const deliveryAttempt = z.object({
  time: dateTime(),
  statusCode: z.int().nullable().describe("null: there was no answer"),
  durationMs: z.int().min(0),
  error: z.string().nullable(),
});

export const deliveryInfo = z.object({ ...deliveryFields, attempts: z.array(deliveryAttempt) });

export const testResult = z.object({
  statusCode: z.int().nullable().describe("null: there was no answer"),
  durationMs: z.int().min(0),
  error: z.string().nullable().describe("null: it was answered with 2xx"),
});

const healthFigures = {
  delivered: z.int().min(0).describe("Attempts that succeeded"),
  failed: z.int().min(0).describe("Attempts that failed"),
  medianMs: z.int().min(0).nullable().describe("How long an answer took; null when there was none"),
};

export const projectHealth = z.object({
  projectId: recordId(),
  since: dateTime().describe("A day ago, or where the latest 500 deliveries begin"),
  ...healthFigures,
  slices: z
    .array(z.object({ ...healthFigures, pending: z.int().min(0).describe("Deliveries that waited at its end") }))
    .describe("24 equal parts of the time from since to now"),
});

export const directoryEntry = z.object({
  kind: z.enum(subjectKinds),
  subject: z.string(),
  name: z.string().nullable(),
  data: z.record(z.string(), z.unknown()).describe("As the campus platform last sent it"),
  updateTime: dateTime(),
});

const directoryFields = ["subject", "name", "updateTime"] as const;

const replayBody = z.object({
  ids: z.array(recordId()).min(1).max(mostReplayed).optional(),
  projectId: recordId().optional(),
  since: dateTime().optional().describe("With projectId: deliveries made from then on, in whatever state"),
  status: z.literal("dead").optional().describe("With projectId: those that were given up"),
});

const text = decimal();
const own = { access: { who: "administrator" }, own: true } as const;
const documented = { access: { who: "administrator", headerUndocumented: true } } as const;
const ofId = { query: z.object({ id: recordId() }), problems: ["notFound"] } as const;
const prefix = "/wx/push";

export const endpoints = {
  receive: endpoint({
    method: "POST",
    url: "/wx/wxc/receive",
    summary: "Take a change of a person or an organisation from the campus platform",
    access: { who: "anyone", limit: "refusals" },
    body: z.object({
      app_key: requiredText().meta({ examples: ["0A1B2C3D4E5F6071"] }),
      app_secret: freeText()
        .optional()
        .describe("Checked when it is sent")
        .meta({ examples: ["00112233445566778899AABBCCDDEEFF"] }),
      school_code: requiredText().meta({ examples: ["1000000001"] }),
      event: z.enum(campusEvents),
      raw_data: requiredText(mostRawData)
        .describe("A JSON object, encrypted: AES-128-CBC, padded with zeros, in hex or base64")
        .meta({
          examples: [
            "b275c11a5807435842c5fcaaa282f46a6e1838b7220a57361731cdf7fcad3d77138781b16c818f038eef44eeff5dfb1df2e5985c8643d5546f2c1083d4753b71",
          ],
        }),
    }),
    answer: { as: "bare", data: pushReply },
    problems: ["forbidden", "pushUnreadable"],
  }),
  listProjects: endpoint({
    ...documented,
    method: "GET",
    url: `${prefix}/queryPushProject`,
    summary: "The push projects, newest first",
    answer: { as: "envelope", data: z.array(pushProject) },
  }),
  addProject: endpoint({
    ...documented,
    method: "POST",
    url: `${prefix}/addPushProject`,
    summary: "Add a push project",
    body: z.object({ url, project }),
    form: true,
    answer: { as: "envelope", data: text },
    idempotent: true,
    problems: ["alreadyExists", "notAllowedNow"],
  }),
  updateProject: endpoint({
    ...documented,
    method: "PUT",
    url: `${prefix}/updatePushProject`,
    summary: "Change a push project; what is left out stays",
    body: z.object({ id: recordId(), url: url.optional(), project, statu: statu.optional() }),
    answer: { as: "envelope", data: text },
    problems: ["notFound", "alreadyExists", "notAllowedNow"],
  }),
  deleteProject: endpoint({
    ...documented,
    ...ofId,
    method: "DELETE",
    url: `${prefix}/deletePushProject`,
    summary: "Delete a push project; what it was not sent stays in the log",
    answer: { as: "envelope", data: text },
  }),
  addApplication: endpoint({
    ...own,
    method: "POST",
    url: `${prefix}/campusApp/save`,
    summary: "Register an application of the campus platform, from which pushes are taken",
    body: z.object({
      appKey,
      appSecret,
      schoolCode,
      name: applicationName,
      allowedNetworks: allowedNetworks.optional(),
      secretRequired: secretRequired.optional(),
    }),
    answer: { as: "envelope", data: text },
    idempotent: true,
    problems: ["alreadyExists"],
  }),
  listApplications: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/campusApp/list`,
    summary: "The campus applications, newest first; never their secrets",
    answer: { as: "envelope", data: z.array(campusApplication) },
    holdsSecret: true,
  }),
  updateApplication: endpoint({
    ...own,
    method: "PUT",
    url: `${prefix}/campusApp/update`,
    summary: "Change a campus application; what is left out stays",
    body: z.object({
      id: recordId(),
      appKey: appKey.optional(),
      appSecret: appSecret.optional(),
      schoolCode: schoolCode.optional(),
      name: applicationName.optional(),
      allowedNetworks: allowedNetworks.optional(),
      secretRequired: secretRequired.optional(),
    }),
    answer: { as: "envelope", data: text },
    problems: ["notFound", "alreadyExists"],
  }),
  deleteApplication: endpoint({
    ...own,
    ...ofId,
    method: "DELETE",
    url: `${prefix}/campusApp/delete`,
    summary: "Delete a campus application; its pushes are refused from then on",
    answer: { as: "envelope", data: text },
  }),
  listDeliveries: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/delivery/page`,
    summary: "Deliveries, newest first",
    query: z.object({
      ...listQuery("curPage", deliverySortFields),
      projectId: recordId().optional(),
      status: z.enum(deliveryStatuses).optional(),
      event: freeText().optional(),
      subject: freeText().optional().describe("Exactly this card_number or organisation"),
    }),
    answer: { as: "envelope", data: pageOf(delivery) },
  }),
  findDelivery: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/delivery/info/:id`,
    summary: "A delivery with each of its attempts",
    params: z.object({ id: recordId() }),
    answer: { as: "envelope", data: deliveryInfo },
    problems: ["notFound"],
  }),
  findExchanges: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/delivery/exchange/:id`,
    summary: "What each attempt of a delivery sent, and what came back",
    params: z.object({ id: recordId() }),
    answer: { as: "envelope", data: deliveryExchanges },
    problems: ["notFound"],
  }),
  replayDeliveries: endpoint({
    ...own,
    method: "POST",
    url: `${prefix}/delivery/replay`,
    summary: "Send deliveries again: ids, or projectId with since, or projectId with status dead",
    body: replayBody,
    answer: { as: "envelope", data: text },
    problems: ["notFound"],
  }),
  testProject: endpoint({
    ...own,
    ...ofId,
    method: "POST",
    url: `${prefix}/project/test`,
    summary: "Send the project a signed event of the kind test, and tell what it answered",
    answer: { as: "envelope", data: testResult },
  }),
  pauseProject: endpoint({
    ...own,
    ...ofId,
    method: "PUT",
    url: `${prefix}/project/pause`,
    summary: "Let a project's deliveries wait",
    answer: { as: "envelope", data: text },
  }),
  resumeProject: endpoint({
    ...own,
    ...ofId,
    method: "PUT",
    url: `${prefix}/project/resume`,
    summary: "Send a paused project what has been waiting",
    answer: { as: "envelope", data: text },
  }),
  listProjectHealth: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/project/health`,
    summary: "How each push project has been doing lately",
    answer: { as: "envelope", data: z.array(projectHealth) },
  }),
  readSecret: endpoint({
    ...own,
    ...ofId,
    audited: true,
    method: "GET",
    url: `${prefix}/project/secret`,
    summary: "The secret with which what the project is sent is signed",
    answer: { as: "envelope", data: z.object({ secret: z.string() }) },
    holdsSecret: true,
  }),
  rotateSecret: endpoint({
    ...own,
    ...ofId,
    method: "PUT",
    url: `${prefix}/project/rotateSecret`,
    summary: "A new secret; the old one signs too for another 24 hours",
    answer: { as: "envelope", data: z.object({ secret: z.string() }) },
    holdsSecret: true,
  }),
  backfillProject: endpoint({
    ...own,
    ...ofId,
    method: "POST",
    url: `${prefix}/project/backfill`,
    summary: "Send the project the whole present directory: organisations first, then people",
    answer: { as: "envelope", data: text },
  }),
  listDirectory: endpoint({
    ...own,
    audited: true,
    method: "GET",
    url: `${prefix}/directory/page`,
    summary: "The people and organisations that the events have told of, as they are now",
    query: z.object({
      ...listQuery("curPage", directoryFields),
      kind: z.enum(subjectKinds).optional(),
      keyword: freeText().optional().describe("Stands anywhere in the name or the subject"),
    }),
    answer: { as: "envelope", data: pageOf(directoryEntry) },
  }),
};

export const pushRelay: ServiceContract<typeof endpoints> = {
  name: "push-relay",
  title: { zh: "消息推送", en: "Push relay" },
  about: { zh: "校园人员与组织变更，按序送达各项目", en: "Campus changes, passed on to every project in order" },
  problems: pushProblems,
  endpoints,
};
