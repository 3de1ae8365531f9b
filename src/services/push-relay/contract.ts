import * as z from "zod";
import { endpoint, type ServiceContract } from "#platform/contract/endpoint.ts";
import { decimal, freeText, listQuery, pageOf, recordId } from "#platform/contract/wire.ts";
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
import { project, projectHealth, pull, pushProblems, pushProject, statu, testResult, url } from "./project-contract.ts";
import { acknowledgement, pulled, pullQuery, receivers } from "./receiver-contract.ts";
import { dimensions } from "./scope-contract.ts";
import { givenSelection, preview } from "./selection-contract.ts";

const text = decimal();
const ofReceiver = { access: { who: "guest", guests: receivers }, own: true } as const;
const own = { access: { who: "administrator" }, own: true } as const;
const documented = { access: { who: "administrator", headerUndocumented: true } } as const;
const ofId = { query: z.object({ id: recordId() }), problems: ["notFound"] } as const;
const prefix = "/wx/push";
const given = givenSelection.shape;
const mostSelection = 64 * 1024;

/** Does something to what has the id. */
const toOne = <const M extends { scoped?: true }>(
  method: "POST" | "PUT" | "DELETE",
  path: string,
  summary: string,
  more: M,
) =>
  endpoint({
    ...own,
    ...ofId,
    ...more,
    method,
    url: `${prefix}/${path}`,
    summary,
    answer: { as: "envelope", data: text },
  });
const scoped = { scoped: true } as const;

export const endpoints = {
  receive: endpoint({
    method: "POST",
    url: "/wx/wxc/receive",
    summary: "Take a change of a person or an organisation from the campus platform",
    access: { who: "anyone", limit: "refusals" },
    body: campusPush,
    answer: { as: "bare", data: pushReply },
    problems: ["forbidden", "pushUnreadable"],
  }),
  listProjects: endpoint({
    ...documented,
    method: "GET",
    url: `${prefix}/queryPushProject`,
    scoped: true,
    summary: "The push projects, newest first",
    answer: { as: "envelope", data: z.array(pushProject) },
  }),
  addProject: endpoint({
    ...documented,
    method: "POST",
    url: `${prefix}/addPushProject`,
    summary: "Add a push project",
    body: z.object({ url, project, pull, ...given }),
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
    body: z.object({ id: recordId(), url: url.optional(), project, statu: statu.optional(), pull, ...given }),
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
    body: z.object(applicationBody),
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
    body: z.object({ id: recordId(), ...z.object(applicationBody).partial().shape }),
    answer: { as: "envelope", data: text },
    problems: ["notFound", "alreadyExists"],
  }),
  deleteApplication: toOne(
    "DELETE",
    "campusApp/delete",
    "Delete a campus application; its pushes are refused from then on",
    {},
  ),
  listDeliveries: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/delivery/page`,
    scoped: true,
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
    scoped: true,
    summary: "A delivery with each of its attempts",
    params: z.object({ id: recordId() }),
    answer: { as: "envelope", data: deliveryInfo },
    problems: ["notFound"],
  }),
  findExchanges: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/delivery/exchange/:id`,
    scoped: true,
    summary: "What each attempt of a delivery sent, and what came back",
    params: z.object({ id: recordId() }),
    answer: { as: "envelope", data: deliveryExchanges },
    problems: ["notFound"],
  }),
  replayDeliveries: endpoint({
    ...own,
    method: "POST",
    url: `${prefix}/delivery/replay`,
    scoped: true,
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
    scoped: true,
    summary: "Send the project a signed event of the kind test, and tell what it answered",
    answer: { as: "envelope", data: testResult },
  }),
  previewProject: endpoint({
    ...own,
    audited: true,
    method: "GET",
    url: `${prefix}/project/:id/preview`,
    summary: "What the project would be given of the latest event of a kind",
    params: z.object({ id: recordId() }),
    query: z.object({
      event: z.enum(campusEvents),
      selection: freeText(mostSelection)
        .optional()
        .describe("JSON of the fields events to decrypted; left out: what holds for the project"),
    }),
    answer: { as: "envelope", data: preview },
    problems: ["notFound"],
  }),
  pauseProject: toOne("PUT", "project/pause", "Let a project's deliveries wait", scoped),
  resumeProject: toOne("PUT", "project/resume", "Send a paused project what has been waiting", scoped),
  listProjectHealth: endpoint({
    ...own,
    method: "GET",
    url: `${prefix}/project/health`,
    scoped: true,
    summary: "How each push project has been doing lately",
    answer: { as: "envelope", data: z.array(projectHealth) },
  }),
  readSecret: endpoint({
    ...own,
    ...ofId,
    audited: true,
    // Whoever has it can sign pushes: it is no figure to be read.
    group: "write",
    method: "GET",
    url: `${prefix}/project/secret`,
    secondFactor: "again",
    scoped: true,
    summary: "The secret with which what the project is sent is signed",
    answer: { as: "envelope", data: z.object({ secret: z.string() }) },
    holdsSecret: true,
  }),
  rotateSecret: endpoint({
    ...own,
    ...ofId,
    method: "PUT",
    url: `${prefix}/project/rotateSecret`,
    secondFactor: "again",
    scoped: true,
    summary: "A new secret; the old one signs too for another 24 hours",
    answer: { as: "envelope", data: z.object({ secret: z.string() }) },
    holdsSecret: true,
  }),
  rotateReceiverKey: endpoint({
    ...own,
    ...ofId,
    method: "PUT",
    url: `${prefix}/project/rotateKey`,
    secondFactor: "again",
    scoped: true,
    summary: "A new key for the project's receiver, shown this once; the one before is worth nothing from then on",
    answer: { as: "envelope", data: z.object({ key: z.string() }) },
    holdsSecret: true,
  }),
  pull: endpoint({
    ...ofReceiver,
    method: "GET",
    url: `${prefix}/pull`,
    summary: "Fetch what waits for the key's project; what is not acknowledged within five minutes is given again",
    query: pullQuery,
    answer: { as: "envelope", data: pulled },
    problems: ["notAllowedNow"],
  }),
  acknowledgePull: endpoint({
    ...ofReceiver,
    method: "PUT",
    url: `${prefix}/pull`,
    summary: "Acknowledge what a cursor was given with; once more is no harm",
    body: acknowledgement,
    answer: { as: "envelope", data: text },
    problems: ["notFound"],
  }),
  backfillProject: toOne(
    "POST",
    "project/backfill",
    "Send the project the whole present directory: organisations first, then people",
    scoped,
  ),
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
  color: "#16a34a",
  dimensions,
  problems: pushProblems,
  endpoints,
};
