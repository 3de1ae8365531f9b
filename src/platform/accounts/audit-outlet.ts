import { hostname } from "node:os";
import { type DestinationStream, pino } from "pino";
import { openSyslog } from "#platform/accounts/syslog.ts";
import type { AuditEntry } from "#platform/accounts/audit.ts";

// Where lines of the audit log go as they are written, beside the database: whoever can rewrite the one cannot rewrite the other.

/** What the database adds to an entry. */
export interface WrittenLine {
  readonly id: number;
  readonly at: Date;
  readonly changes: unknown;
}

export interface AuditOutlet {
  readonly send: (line: AuditEntry & WrittenLine) => void;
  /** Lines that wait to be taken, and those that were given up since the start. */
  readonly readFigures: () => { readonly waiting: number; readonly lost: number };
  /** Waits a little for what still has to leave. */
  readonly close: () => Promise<void>;
}

/** Undefined while they go nowhere else. It is the process's, as its standard output is. */
export let auditOutlet: AuditOutlet | undefined;

type Destination = DestinationStream & Partial<Pick<AuditOutlet, "readFigures" | "close">>;

/** @param to as AUDIT_LOG says it @param ca who vouches for the receiver, beside the system's; for tests */
export function openAuditOutlet(to: string | undefined, ca?: string): AuditOutlet | undefined {
  auditOutlet = to === undefined ? undefined : toOutlet(openDestination(to, ca));
  return auditOutlet;
}

function openDestination(to: string, ca: string | undefined): Destination {
  if (to.startsWith("syslog+tls:")) return openSyslog(new URL(to), ca);
  // What pino's own transport to a file writes with; at once, so that a line is there before its answer.
  return pino.destination({ dest: to === "stdout" ? 1 : to.slice("file:".length), mkdir: true, sync: true });
}

function toOutlet(destination: Destination): AuditOutlet {
  const log = pino({ base: { host: hostname() }, timestamp: false }, destination);
  return {
    send: (line) => log.info({ audit: line }, "audit"),
    readFigures: () => destination.readFigures?.() ?? { waiting: 0, lost: 0 },
    close: async () => {
      auditOutlet = undefined;
      await destination.close?.();
    },
  };
}
