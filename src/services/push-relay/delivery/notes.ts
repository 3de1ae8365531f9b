import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { toLoggable } from "#platform/contract/loggable.ts";
import { batch, type Pool } from "#platform/database/index.ts";
import type { Settlement } from "./model.ts";
import { type ProjectNote, noteDelivered, noteProjects } from "./note-store.ts";

/** Tells projects how their pushes go, and counts them; at most once a second, since thousands may be under way. */
export interface Notes {
  add(settlements: readonly Settlement[]): void;
  finish(): Promise<void>;
}

const intervalMs = 1000;

export function openNotes(pool: Pool, log: FastifyBaseLogger): Notes {
  const processId = randomUUID();
  let notes = new Map<number, ProjectNote>();
  let delivered = 0;
  let writing: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const [taken, count] = [notes, delivered];
    [notes, delivered] = [new Map(), 0];
    try {
      if (taken.size > 0) await noteProjects(pool, [...taken.values()]);
      if (count > 0) await noteDelivered(pool, processId, count);
    } catch (error) {
      log.warn({ ...toLoggable(error) }, "how the pushes of some projects went could not be noted");
    }
  };
  const writeNext = (): Promise<void> => (writing = writing.then(write));
  const writeSoon = batch<void, void>(() => writeNext().then(() => []), { most: Infinity, pauseMs: () => intervalMs });

  return {
    add(settlements) {
      for (const settlement of settlements) {
        if (settlement.outcome.kind === "back") continue;
        if (settlement.outcome.kind === "delivered") delivered++;
        const { projectId } = settlement.claimed;
        let note = notes.get(projectId);
        if (!note) notes.set(projectId, (note = { projectId, ...nothing }));
        addToNote(note, settlement);
      }
      if (notes.size > 0) void writeSoon();
    },
    finish: writeNext,
  };
}

const nothing = { succeededMs: null, failingMs: null, error: null };

function addToNote(note: ProjectNote, { outcome, startedMs, durationMs, error }: Settlement): void {
  if (outcome.kind === "delivered") {
    note.succeededMs = startedMs + durationMs;
    note.failingMs = null;
  } else {
    note.failingMs ??= startedMs;
    note.error = error;
  }
}
