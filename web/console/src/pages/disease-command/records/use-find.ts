import type { UseQueryResult } from "@tanstack/react-query";
import type { CallFailure } from "#shared/call/failure.ts";
import type { Operation } from "#shared/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";

/** Reads the record of an id by the operation whose only parameter, whatever its name, is the id. */
export function useFind<R>(find: Operation, id: number): UseQueryResult<R, CallFailure> {
  const parameter = /:(\w+)$/.exec(find.url)?.[1] ?? "id";
  return useRead(find as never, { params: { [parameter]: id } }) as UseQueryResult<R, CallFailure>;
}
