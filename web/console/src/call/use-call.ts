import {
  keepPreviousData,
  type Query,
  type QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from "@tanstack/react-query";
import { App } from "antd";
import { useState, useSyncExternalStore } from "react";
import { callWith, type CallOptions } from "#console/call/call.ts";
import type { CallFailure } from "#shared/call/failure.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

export interface ReadOptions<D = unknown> {
  readonly enabled?: boolean;
  readonly everyMs?: number | ((last: D | undefined) => number | undefined) | undefined;
  /** True to show the last answer while the next one loads, as paginated lists need. */
  readonly keep?: boolean;
}

export const toQuery = <E extends Endpoint>(operation: Operation<E>, given: Given<E>) => ({
  queryKey: [operation.service, operation.name, given] as const,
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => callWith(operation, given, { signal }),
});

/** Reads again after each change that the page makes in the same service. */
export function useRead<E extends Endpoint>(
  operation: Operation<E>,
  given: Given<E>,
  { enabled = true, everyMs, keep = false }: ReadOptions<Data<E>> = {},
): UseQueryResult<Data<E>, CallFailure> {
  return useQuery<Data<E>, CallFailure>({
    ...toQuery(operation, given),
    enabled,
    ...(everyMs !== undefined && {
      refetchInterval: typeof everyMs === "number" ? everyMs : ({ state }) => everyMs(state.data) ?? false,
    }),
    ...(keep && { placeholderData: keepPreviousData }),
  });
}

export function useFailedReads(): { readonly failure: Error; readonly retry: () => Promise<void> } | undefined {
  const queries = useQueryClient();
  const cache = queries.getQueryCache();
  const failed = { type: "active", predicate: ({ state }: Query) => state.status === "error" } as const;
  const failure = useSyncExternalStore(
    (changed) => cache.subscribe(changed),
    () => cache.findAll(failed)[0]?.state.error,
  );
  return failure ? { failure, retry: () => queries.refetchQueries(failed) } : undefined;
}

export interface Kept<D> {
  readonly data: D;
  readonly readMs: number;
}

export function useKept<D>({
  data,
  isPlaceholderData,
  dataUpdatedAt,
}: Pick<UseQueryResult<D, CallFailure>, "data" | "isPlaceholderData" | "dataUpdatedAt">): Kept<D> | undefined {
  const [kept, setKept] = useState<Kept<D>>();
  if (data !== undefined && !isPlaceholderData && (kept?.data !== data || kept.readMs !== dataUpdatedAt))
    setKept({ data, readMs: dataUpdatedAt });
  return kept;
}

/**
 * Invalidates a service's reads. A first load in flight is cancelled, since its answer may be older than the change and
 * would be kept.
 */
export async function refreshReads(queries: QueryClient, service: string): Promise<void> {
  await queries.cancelQueries({ queryKey: [service], predicate: ({ state }) => state.data === undefined });
  await queries.invalidateQueries({ queryKey: [service] });
}

export interface ChangeOptions<D> {
  readonly done?: string | ((data: D) => string);
  /** True if the caller shows the failure itself, for example at a form's fields. */
  readonly quiet?: boolean;
}

export type Change<E extends Endpoint> = Given<E> & { readonly options?: CallOptions };

export function useChange<E extends Endpoint>(
  operation: Operation<E>,
  { done, quiet = false }: ChangeOptions<Data<E>> = {},
): UseMutationResult<Data<E>, CallFailure, Change<E>> {
  const { message } = App.useApp();
  const queries = useQueryClient();
  return useMutation<Data<E>, CallFailure, Change<E>>({
    mutationFn: ({ options = {}, ...given }) => callWith(operation, given as unknown as Given<E>, options),
    onSuccess: (data) => {
      const said = typeof done === "function" ? done(data) : done;
      if (said !== undefined) void message.success(said);
    },
    onError: (failure) => {
      if (!quiet) void message.error(failure.message);
    },
    // A failure invalidates too, since another user's change may have caused it.
    onSettled: () => refreshReads(queries, operation.service),
  });
}
