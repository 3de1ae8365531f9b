import type * as z from "zod";
import { formatDateTime } from "#platform/contract/times.ts";
import type { Application } from "./application-store.ts";
import type { campusApplication, directoryEntry } from "./campus-contract.ts";
import type { delivery, deliveryAttempt, deliveryExchanges, deliveryInfo } from "./delivery-contract.ts";
import { describeHeaders } from "./delivery/index.ts";
import type { AttemptRow, DeliveryRow, DirectoryRow, ExchangeRow } from "./log-store.ts";
import type { projectHealth, pushProject } from "./project-contract.ts";
import type { ProjectHealth } from "./project-health.ts";
import type { Project } from "./project-store.ts";

// Stored rows in the contract's spelling.

const toTime = (instant: Date | null, zone: string): string | null => instant && formatDateTime(instant, zone);

export const toApplication = (row: Application): z.input<typeof campusApplication> => ({
  id: row.id,
  appKey: row.appKey,
  schoolCode: row.schoolCode,
  name: row.name,
  allowedNetworks: [...row.allowedNetworks],
  secretRequired: row.secretRequired,
});

/** What a project's listing has beside its row. */
export interface ProjectFigures {
  readonly pending: number;
  readonly dead: number;
  readonly flagged: boolean;
}

export const toProject = (row: Project, figures: ProjectFigures, zone: string): z.input<typeof pushProject> => ({
  id: row.id,
  url: row.url,
  project: row.name,
  statu: row.statu,
  createTime: formatDateTime(row.createdAt, zone),
  pending: figures.pending,
  dead: figures.dead,
  lastSuccessTime: toTime(row.lastSuccessAt, zone),
  // The row keeps it; it tells of now only while nothing has succeeded since.
  lastError: row.failingSince && row.lastError,
  paused: row.paused,
  flagged: figures.flagged,
});

export const toProjectHealth = (health: ProjectHealth, zone: string): z.input<typeof projectHealth> => ({
  projectId: health.projectId,
  since: formatDateTime(health.since, zone),
  delivered: health.succeeded,
  failed: health.failed,
  medianMs: health.medianMs,
  slices: health.slices.map(({ succeeded, failed, medianMs, pending }) => ({
    delivered: succeeded,
    failed,
    medianMs,
    pending,
  })),
});

export const toDelivery = (row: DeliveryRow, zone: string): z.input<typeof delivery> => ({
  id: row.id,
  eventId: row.eventId,
  projectId: row.projectId,
  event: row.event,
  subject: row.subject === "" ? null : row.subject,
  status: row.status,
  attempts: row.attempts,
  nextAttemptTime: toTime(row.nextAttemptAt, zone),
  lastStatusCode: row.lastStatusCode,
  lastError: row.lastError,
  createTime: formatDateTime(row.createdAt, zone),
  deliveredTime: toTime(row.deliveredAt, zone),
});

const toAttempt = (row: AttemptRow, zone: string): z.input<typeof deliveryAttempt> => ({
  time: formatDateTime(row.at, zone),
  statusCode: row.statusCode,
  durationMs: row.durationMs,
  error: row.error,
});

export const toDeliveryInfo = (
  row: DeliveryRow,
  attempts: readonly AttemptRow[],
  zone: string,
): z.input<typeof deliveryInfo> => ({
  ...toDelivery(row, zone),
  attempts: attempts.map((attempt) => toAttempt(attempt, zone)),
});

export const toExchanges = (
  { publicId, body }: { readonly publicId: string; readonly body: string },
  rows: readonly ExchangeRow[],
  zone: string,
): z.input<typeof deliveryExchanges> => ({
  method: "POST",
  body,
  attempts: rows.map(({ at, url, ...answer }) => ({
    time: formatDateTime(at, zone),
    url,
    headers: describeHeaders(publicId, at),
    response:
      answer.headers === null || answer.body === null
        ? null
        : { headers: JSON.parse(answer.headers) as Record<string, string>, body: answer.body, cut: answer.cut },
  })),
});

export const toDirectoryEntry = (row: DirectoryRow, zone: string): z.input<typeof directoryEntry> => ({
  kind: row.kind,
  subject: row.identity,
  name: row.name,
  data: JSON.parse(row.data) as Record<string, unknown>,
  updateTime: formatDateTime(row.changedAt, zone),
});
