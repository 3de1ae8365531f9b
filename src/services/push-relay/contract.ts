import * as z from "zod";
import { type ServiceContract, under } from "#platform/contract/endpoint.ts";
import { freeText, listQuery, pageOf, recordId } from "#platform/contract/wire.ts";
import {
  applicationBody,
  campusEvents,
  campusApplication,
  campusPush,
  directoryEntry,
  directoryFields,
  pushReply,
  subjectKinds,
} from "./campus-contract.ts";
import {
  delivery,
  deliveryExchanges,
  deliveryInfo,
  deliverySortFields,
  deliveryStatuses,
  replayBody,
} from "./delivery-contract.ts";
import {
  contact,
  project,
  projectHealth,
  pull,
  pushProblems,
  pushProject,
  statu,
  testResult,
  url,
} from "./project-contract.ts";
import {
  acknowledgement,
  compareQuery,
  comparison,
  ownDeliveriesQuery,
  ownDelivery,
  ownProject,
  ownReplay,
  pulled,
  pullQuery,
  receivers,
} from "./receiver-contract.ts";
import { dimensions } from "./scope-contract.ts";
import { givenSelection, preview } from "./selection-contract.ts";

const ofId = { query: z.object({ id: recordId() }), problems: ["notFound"] } as const;
const prefix = "/wx/push";
const documented = under(prefix, { access: { who: "administrator", headerUndocumented: true } });
const own = under(prefix, { access: { who: "administrator" }, own: true });
const scoped = under(prefix, { access: { who: "administrator" }, own: true, scoped: true });
const receiver = under(prefix, { access: { who: "guest", guests: receivers }, own: true });
const limited = under(prefix, { access: { who: "guest", guests: receivers, mostPerMinute: "open" }, own: true });
const given = givenSelection.shape;
const mostSelection = 64 * 1024;

export const endpoints = {
  receive: under("/wx/wxc").post("/receive", {
    summary: "Receive a change of a person or organisation from the campus platform",
    access: { who: "anyone", limit: "refusals" },
    body: campusPush,
    answer: { as: "bare", data: pushReply },
    problems: ["forbidden", "pushUnreadable"],
  }),
  listProjects: documented.get("/queryPushProject", {
    scoped: true,
    summary: "List push projects, newest first",
    data: z.array(pushProject),
  }),
  addProject: documented.post("/addPushProject", {
    summary: "Add a push project",
    body: z.object({ url, project, pull, contact, ...given }),
    form: true,
    idempotent: true,
    problems: ["alreadyExists", "notAllowedNow"],
  }),
  updateProject: documented.put("/updatePushProject", {
    summary: "Change a push project; omitted fields are unchanged",
    body: z.object({ id: recordId(), url: url.optional(), project, statu: statu.optional(), pull, contact, ...given }),
    problems: ["notFound", "alreadyExists", "notAllowedNow"],
  }),
  deleteProject: documented.remove("/deletePushProject", {
    summary: "Delete a push project; its unsent deliveries remain in the log",
    ...ofId,
  }),
  addApplication: own.post("/campusApp/save", {
    summary: "Register a campus application, so that its pushes are accepted",
    body: z.object(applicationBody),
    idempotent: true,
    problems: ["alreadyExists"],
  }),
  listApplications: own.get("/campusApp/list", {
    summary: "List campus applications, newest first, without secrets",
    data: z.array(campusApplication),
    holdsSecret: true,
  }),
  updateApplication: own.put("/campusApp/update", {
    summary: "Change a campus application; omitted fields are unchanged",
    body: z.object({ id: recordId(), ...z.object(applicationBody).partial().shape }),
    problems: ["notFound", "alreadyExists"],
  }),
  deleteApplication: own.remove("/campusApp/delete", {
    summary: "Delete a campus application; its pushes are refused from then on",
    ...ofId,
  }),
  listDeliveries: scoped.get("/delivery/page", {
    summary: "List deliveries, newest first",
    query: z.object({
      ...listQuery("curPage", deliverySortFields),
      projectId: recordId().optional(),
      status: z.enum(deliveryStatuses).optional(),
      event: freeText().optional(),
      subject: freeText().optional().describe("Exact card_number or organisation id"),
    }),
    data: pageOf(delivery),
  }),
  findDelivery: scoped.get("/delivery/info/:id", {
    summary: "Read a delivery with its attempts",
    params: z.object({ id: recordId() }),
    data: deliveryInfo,
    problems: ["notFound"],
  }),
  findExchanges: scoped.get("/delivery/exchange/:id", {
    summary: "Read the requests and responses of a delivery's attempts",
    params: z.object({ id: recordId() }),
    data: deliveryExchanges,
    problems: ["notFound"],
  }),
  replayDeliveries: scoped.post("/delivery/replay", {
    summary: "Replay deliveries, selected by `ids`, by `projectId` and `since`, or by `projectId` and `status`",
    body: replayBody,
    problems: ["notFound"],
  }),
  testProject: scoped.post("/project/test", {
    ...ofId,
    summary: "Send the project a signed test event and return its response",
    data: testResult,
  }),
  previewProject: own.get("/project/:id/preview", {
    audited: true,
    summary: "Preview what the project would receive for the latest event of one kind",
    params: z.object({ id: recordId() }),
    query: z.object({
      event: z.enum(campusEvents),
      selection: freeText(mostSelection)
        .optional()
        .describe(
          "Selection to preview, as JSON with the fields of a project from `events` to `decrypted`; default: the project's selection",
        ),
    }),
    data: preview,
    problems: ["notFound"],
  }),
  pauseProject: scoped.put("/project/pause", { summary: "Pause the deliveries to a project", ...ofId }),
  resumeProject: scoped.put("/project/resume", { summary: "Resume the deliveries to a paused project", ...ofId }),
  listProjectHealth: scoped.get("/project/health", {
    summary: "Read recent statistics of each push project",
    data: z.array(projectHealth),
  }),
  readSecret: scoped.get("/project/secret", {
    ...ofId,
    audited: true,
    // Pushes can be signed with the secret, so reading it requires the right to write.
    group: "write",
    secondFactor: "again",
    summary: "Read the secret that signs the project's deliveries",
    data: z.object({ secret: z.string() }),
    holdsSecret: true,
  }),
  rotateSecret: scoped.put("/project/rotateSecret", {
    ...ofId,
    secondFactor: "again",
    summary: "Replace the secret; for 24 hours, deliveries are signed with both the old and the new secret",
    data: z.object({ secret: z.string() }),
    holdsSecret: true,
  }),
  rotateReceiverKey: scoped.put("/project/rotateKey", {
    ...ofId,
    secondFactor: "again",
    summary: "Replace the receiver's key; the new key is shown only once, and the old one stops working at once",
    data: z.object({ key: z.string() }),
    holdsSecret: true,
  }),
  pull: receiver.get("/pull", {
    summary: "Pull the project's due events; events not acknowledged within PUSH_PULL_SECONDS are delivered again",
    query: pullQuery,
    data: pulled,
    problems: ["notAllowedNow"],
  }),
  acknowledgePull: receiver.put("/pull", {
    summary: "Acknowledge the events of a cursor; can be repeated",
    body: acknowledgement,
    problems: ["notFound"],
  }),
  readOwn: receiver.get("/own", {
    summary: "Read the key's project: settings, backlog and recent statistics",
    data: ownProject,
  }),
  listOwnDeliveries: receiver.get("/own/deliveries", {
    summary: "List the deliveries of the key's project, newest first",
    query: ownDeliveriesQuery,
    data: pageOf(ownDelivery),
  }),
  replayOwn: limited.post("/own/replay", {
    summary: "Replay deliveries of the key's project, selected by `ids` or by creation time (`from` and `to`)",
    body: ownReplay,
    problems: ["notFound"],
  }),
  compareOwn: limited.post("/own/compare", {
    summary:
      "Compare the receiver's data with the relay's; each line of the body is a JSON object with `subject` and `digest`, at most 1,000,000 lines",
    query: compareQuery,
    raw: "stream",
    data: comparison,
    problems: ["badFormat", "tooLong"],
  }),
  backfillProject: scoped.post("/project/backfill", {
    summary: "Send the project the complete current directory: first organisations, then people",
    ...ofId,
  }),
  listDirectory: own.get("/directory/page", {
    audited: true,
    summary: "List the current people and organisations known from events",
    query: z.object({
      ...listQuery("curPage", directoryFields),
      kind: z.enum(subjectKinds).optional(),
      keyword: freeText().optional().describe("Substring of the name or subject"),
    }),
    data: pageOf(directoryEntry),
  }),
};

export const pushRelay: ServiceContract<typeof endpoints> = {
  name: "push-relay",
  title: { zh: "消息推送", en: "Push relay" },
  about: {
    zh: "校园人员与机构变更，按序送达各项目",
    en: "Changes of people and organisations, delivered to every project in order",
  },
  color: "#16a34a",
  dimensions,
  problems: pushProblems,
  endpoints,
};
