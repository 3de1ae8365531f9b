import type { Db } from "#platform/database/index.ts";
import { dataOf, writers } from "#services/push-relay/forms.ts";
import { openEvent } from "#services/push-relay/sealed.ts";
import { settle, type Settlement } from "./queue-store.ts";

const mostBytes = 8 * 1024 * 1024;

interface Given {
  readonly deliveryId: number;
  readonly head: boolean;
  readonly claim: number;
  readonly cursor: string;
  readonly body: string;
  readonly more: boolean;
}

export interface PulledBatch {
  readonly cursor: string | null;
  readonly events: readonly string[];
  readonly more: boolean;
}

export const nothingPulled: PulledBatch = { cursor: null, events: [], more: false };

/**
 * Leases the next events to the receiver. An event that cannot be decrypted is given up, as after the last attempt of a
 * push (P6d), and the batch is read again.
 */
export async function pullEvents(
  db: Db,
  projectId: number,
  { limit, leaseMs, nowMs }: { readonly limit: number; readonly leaseMs: number; readonly nowMs: () => number },
): Promise<PulledBatch> {
  for (;;) {
    const given = await db<Given[]>`
      select delivery_id as "deliveryId", head, claim, cursor, body, more
      from push_relay.pull(${projectId}, ${limit}, ${leaseMs}, ${mostBytes})`;
    const [first] = given;
    if (!first) return nothingPulled;
    const closed: (Settlement | undefined)[] = [];
    const events = given.map((one) => {
      try {
        const { form, head, data } = openEvent(db.keys, one.body);
        closed.push(one.head ? toSettlement(one, projectId, nowMs()) : undefined);
        return writers.json.write(head, dataOf(form, data));
      } catch (error) {
        closed.push(toSettlement(one, projectId, nowMs(), (error as Error).message));
        return undefined;
      }
    });
    const opened = events.filter((event) => event !== undefined);
    if (opened.length === events.length) return { cursor: first.cursor, events: opened, more: first.more };
    await settle(
      db,
      closed.filter((one) => one !== undefined),
    );
  }
}

const toSettlement = (
  { deliveryId, claim }: Given,
  projectId: number,
  startedMs: number,
  error: string | null = null,
): Settlement => ({
  claimed: { deliveryId, claim, projectId, revision: 0, eventId: 0, publicId: "", failures: 0, body: null },
  outcome: { kind: error === null ? "back" : "dead", delayMs: 0 },
  startedMs,
  durationMs: 0,
  statusCode: null,
  error,
  exchange: null,
});

const givenToAnother = "QR002";

/**
 * @returns the number of newly acknowledged deliveries; undefined if the project does not have the cursor, or if some
 * of its deliveries have been leased again
 */
export async function acknowledge(db: Db, projectId: number, cursor: string): Promise<number | undefined> {
  try {
    return (await db.value<number | null>`select push_relay.acknowledge(${projectId}, ${cursor}::uuid)`) ?? undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code !== givenToAnother) throw error;
    return undefined;
  }
}

export async function endLeases(tx: Db, projectId: number): Promise<void> {
  await tx`
    with ended as (delete from push_relay.lease where project_id = ${projectId} returning claim, deliveries)
    update push_relay.queue set claim = null, leased_until = null
    where project_id = ${projectId} and head and claim in (select claim from ended where deliveries is not null)`;
}

export const listReady = (db: Db, projectIds: readonly number[]): Promise<number[]> =>
  db.values<number>`
    select id from push_relay.project
    where id = any (${projectIds}::bigint[]) and pull and statu = 0 and not paused and deleted_at is null
      and exists (select from push_relay.queue
        where project_id = project.id and head and (leased_until is null or leased_until <= now()))`;
