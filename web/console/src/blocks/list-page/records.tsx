import { usePaging } from "#console/blocks/list-page/paging.ts";
import { RecordCards } from "#console/blocks/list-page/record-cards.tsx";
import { RecordTable, type RecordsProps } from "#console/blocks/list-page/record-table.tsx";
import { useIsPhone } from "#shared/media.ts";

/** Records as a table, whose head stays in sight; on a phone as cards. */
export function Records<R extends object>({ paging: given, pageSize = 50, ...props }: RecordsProps<R>) {
  const isPhone = useIsPhone();
  const pagination = usePaging(given, props.rows.length, pageSize);
  const Shape = isPhone ? RecordCards : RecordTable;
  return <Shape<R> {...props} pagination={pagination} />;
}
