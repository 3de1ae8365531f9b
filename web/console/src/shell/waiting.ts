import type { Judged, Session } from "#console/session/session.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import type { Bilingual } from "#platform/contract/language.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";

/** An entry of the home page's work list. */
export interface Waiting {
  readonly what: Bilingual;
  readonly count: number;
  /** The name of the record that waits longest. */
  readonly first?: string;
  /** A description, if the record has no name. */
  readonly about?: string;
  /** The start of the longest wait, yyyy-MM-dd HH:mm:ss; absent if unknown. */
  readonly since?: string | null;
  /** The page that handles the record that waits longest. */
  readonly to: string;
}

/** A read that may find waiting work. */
export interface WaitingRead {
  readonly operation: Operation;
  readonly given: () => Given<Endpoint>;
  /** The read and the operations that settle the work. Only accounts that may call all of them see the work. */
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

type About<R> = (oldest: R) => Pick<Waiting, "first" | "since" | "to">;

/** Describes a list by its total count and its oldest record. `list` must begin with the oldest record. */
export const tellOldest = <R>({ list, totalCount }: Paged<R>, what: Bilingual, about: About<R>): readonly Waiting[] =>
  list.slice(0, 1).map((oldest) => ({ what, count: totalCount, ...about(oldest) }));

/** Like `tellOldest`, but for a list that was read completely. The list must begin with the oldest record. */
export const tellAll = <R>(list: readonly R[], what: Bilingual, about: About<R>): readonly Waiting[] =>
  tellOldest({ list, totalCount: list.length }, what, about);
