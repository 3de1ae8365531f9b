import { Drawer, Skeleton } from "antd";
import { type ReactNode, useState } from "react";
import { Failure } from "#console/blocks/failure.tsx";
import type { Operation } from "#shared/call/operation.ts";
import { useFind } from "#console/pages/disease-command/records/use-find.ts";
import type { Identified } from "#console/pages/disease-command/records/record-field.tsx";

interface FoundRecordProps<R> {
  readonly title: string;
  /** Gives the whole record: lists leave out long contents. Without it the record is taken as it is. */
  readonly find: Operation | undefined;
  readonly record: Partial<R>;
  readonly onClose: () => void;
  readonly children: (record: Partial<R>) => ReactNode;
}

/** A record as it stands now, for the form that changes it. */
export function FoundRecord<R extends Identified>({ find, record, ...props }: FoundRecordProps<R>) {
  if (!find || record.id === undefined) return props.children(record);
  return <Reading<R> {...props} find={find} id={record.id} />;
}

type ReadingProps<R> = Omit<FoundRecordProps<R>, "find" | "record"> & {
  readonly find: Operation;
  readonly id: number;
};

function Reading<R extends Identified>({ title, find, id, onClose, children }: ReadingProps<R>) {
  const { data, error, isFetching, refetch } = useFind<R>(find, id);
  // The form keeps what it began with, whatever is read later.
  const [found, keep] = useState<R>();
  if (found) return children(found);
  if (data && !isFetching) keep(data);
  return (
    <Drawer open title={title} size={480} onClose={onClose}>
      {error ? <Failure failure={error} onRetry={refetch} /> : <Skeleton active paragraph={{ rows: 8 }} />}
    </Drawer>
  );
}
