import type { Judged, Session } from "#console/session/session.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";

/** A line of the home page's list of work. */
export interface Waiting {
  readonly what: Bilingual;
  readonly count: number;
  /** What waits longest, by name. */
  readonly first?: string;
  /** Otherwise, what waits. */
  readonly about?: string;
  /** The start of the longest wait, yyyy-MM-dd HH:mm:ss; absent: unknown. */
  readonly since?: string | null;
  /** The place where what waits longest is dealt with. */
  readonly to: string;
}

/** A read of what may wait for an account. */
export interface WaitingRead {
  readonly operation: Operation;
  readonly given: () => Given<Endpoint>;
  /** The operations that settle it: work waits only for those who may do it. */
  readonly needs: readonly Judged[];
  readonly tell: (data: never, session: Session) => readonly Waiting[];
}

export const waits = <E extends Endpoint>(
  operation: Operation<E>,
  needs: readonly Judged[],
  given: () => Given<E>,
  tell: (data: Data<E>, session: Session) => readonly Waiting[],
): WaitingRead => ({
  operation,
  given,
  needs: [operation, ...needs],
  tell,
});

interface Paged<R> {
  readonly list: readonly R[];
  readonly totalCount: number;
}

/** The line of a list that was read oldest first. */
export function tellOldest<R>(
  { list: [oldest], totalCount }: Paged<R>,
  what: Bilingual,
  about: (oldest: R) => Pick<Waiting, "first" | "since" | "to">,
): readonly Waiting[] {
  return oldest === undefined ? [] : [{ what, count: totalCount, ...about(oldest) }];
}
