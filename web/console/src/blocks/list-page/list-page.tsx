import { DownloadOutlined, ReloadOutlined } from "@ant-design/icons";
import { Alert, App, Button, Empty, Space, Tooltip } from "antd";
import { type Key, type ReactNode, useEffect, useState } from "react";
import { Failure } from "#console/blocks/failure.tsx";
import type { Field } from "#console/blocks/fields.tsx";
import {
  type Cursors,
  type ListState,
  readCursors,
  readPage,
  toPageQuery,
  useLastPage,
  useListState,
} from "#console/blocks/list-page/address.ts";
import { type Column, ColumnChoice, useColumns } from "#console/blocks/list-page/columns.tsx";
import { Records } from "#console/blocks/list-page/records.tsx";
import { SearchForm } from "#console/blocks/list-page/search-form.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import type { Data, Given, Operation, RecordOf } from "#shared/call/operation.ts";
import { useKept, useRead } from "#console/call/use-call.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";
import { download } from "#console/call/call.ts";
import { useMay } from "#console/session/session.ts";
import type { CallFailure } from "#shared/call/failure.ts";

interface EmptyText {
  readonly title: string;
  readonly about?: ReactNode;
  readonly action?: ReactNode;
}

export interface ListPageProps<E extends Endpoint, R extends object = RecordOf<Operation<E>> & object> {
  readonly title: string;
  readonly about?: ReactNode;
  readonly name: string;
  readonly operation: Operation<E>;
  readonly toPage?: (data: Data<E>) => unknown;
  /** Path parameters and query values that are sent in addition to the filters in the address. */
  readonly given?: { readonly params?: object; readonly query?: object };
  readonly filters?: readonly Field[];
  readonly columns: readonly Column<R>[];
  readonly rowKey?: (row: R) => Key;
  readonly rowName?: (row: R) => string;
  readonly actions?: ReactNode;
  /** `unselect` keeps the rows that it is given, for example those whose call failed. */
  readonly batch?: (rows: readonly R[], unselect: (kept?: readonly R[]) => void) => ReactNode;
  readonly exporting?: { readonly operation: Operation; readonly toQuery?: (filters: ListState["filters"]) => object };
  readonly empty: EmptyText;
  readonly everyMs?: number;
  readonly children?: ReactNode;
}

export function ListPage<E extends Endpoint, R extends object = RecordOf<Operation<E>> & object>(
  props: ListPageProps<E, R>,
) {
  const {
    title,
    about,
    name,
    operation,
    given,
    filters = [],
    columns,
    actions,
    batch,
    exporting,
    empty,
    everyMs,
  } = props;
  const rowKey = props.rowKey ?? ((row: R) => (row as { id?: Key }).id ?? "");
  const t = useTexts();
  const [state, change] = useListState();
  const { shown, chosen, choose, standard } = useColumns(name, columns);
  const [selected, setSelected] = useState<readonly R[]>([]);
  const query = { ...given?.query, ...state.filters, ...toPageQuery(operation, state) };
  const read = useRead(operation, { params: given?.params, query } as unknown as Given<E>, {
    keep: true,
    ...(everyMs !== undefined && { everyMs }),
  });
  const kept = useKept(read);
  // If the server does not answer, the old rows stay with a notice.
  const isOld = read.error?.code === "network" && kept !== undefined;
  const data = isOld ? kept.data : read.data;
  const cursors = readCursors(data);
  const { rows, total } = readPage<R>(data !== undefined && props.toPage ? props.toPage(data) : data);
  const slow = useSlow(read.isFetching && read.data === undefined);
  const unselect = (remaining: readonly R[] = []) => setSelected(remaining);
  const { cursor: _cursor, ...searched } = state.filters;
  const [seen, setSeen] = useState<Seen<R>>();
  const current = { data, rows, total, search: JSON.stringify(searched), query: JSON.stringify(query) };
  if (data !== undefined && !read.isPlaceholderData && (seen?.data !== data || seen.query !== current.query)) {
    setSeen(current);
    setSelected(keepSelected(selected, current, seen, rowKey));
  }
  // A row may have changed since it was selected, so its current state is used if the row is on the page.
  const chosenRows = selected.map((row) => rows.find((now) => rowKey(now) === rowKey(row)) ?? row);
  useLastPage(operation, state, { rows, total }, change);
  const isFiltered = Object.keys(state.filters).length > 0;
  return (
    <>
      <PageHead title={title} about={about}>
        {actions}
      </PageHead>
      {filters.length > 0 && (
        <SearchForm
          fields={filters}
          filters={state.filters}
          onSearch={(next) => {
            unselect();
            const { cursor: _cursor, ...filters } = next;
            change({ filters, page: 1 });
          }}
        />
      )}
      {props.children}
      <section className="q-card q-list" aria-label={title}>
        <div className={selected.length > 0 ? "q-list-bar q-list-bar-selected" : "q-list-bar"}>
          {batch && selected.length > 0 && (
            <div className="q-buttons">
              <span role="status">{t.selected(selected.length)}</span>
              <Button type="link" size="small" onClick={() => unselect()}>
                {t.unselect}
              </Button>
              {batch(chosenRows, unselect)}
            </div>
          )}
          <Space className="q-list-tools" size={4}>
            {exporting && <ExportButton {...exporting} filters={state.filters} />}
            <Tooltip title={t.refresh}>
              <Button
                type="text"
                icon={<ReloadOutlined aria-hidden spin={read.isFetching} />}
                aria-label={t.refresh}
                onClick={() => void read.refetch()}
              />
            </Tooltip>
            <ColumnChoice columns={columns} chosen={chosen} standard={standard} onChoose={choose} />
          </Space>
        </div>
        {slow && <Alert type="info" showIcon title={t.slow} className="q-form-failure" />}
        {read.error && <Failure failure={read.error} onRetry={read.refetch} {...(isOld && { readMs: kept.readMs })} />}
        {(data !== undefined || !read.error) && (
          <Records<R>
            density={chosen.density}
            rowKey={rowKey}
            rows={rows}
            columns={shown}
            loading={read.isFetching && (read.isPlaceholderData || read.data === undefined)}
            empty={
              <Nothing
                {...(isFiltered ? { title: t.noMatch, about: t.noMatchAbout } : empty)}
                loading={read.data === undefined}
              />
            }
            {...(operation.page && { sorting: { ...state, onSort: (sorting) => change({ page: 1, ...sorting }) } })}
            {...(operation.page && {
              paging: { ...state, total, onPage: (page, size) => change({ page, size }) },
            })}
            {...(cursors && { pageSize: rows.length || 1 })}
            {...(batch && {
              selection: {
                rows: selected,
                onChange: setSelected,
                nameOf: (row: R) => props.rowName?.(row) ?? String(rowKey(row)),
              },
            })}
          />
        )}
        {cursors && <CursorButtons cursors={cursors} state={state} change={change} />}
      </section>
    </>
  );
}

interface Seen<R> {
  readonly data: unknown;
  readonly rows: readonly R[];
  readonly total: number;
  readonly search: string;
  readonly query: string;
}

/**
 * Another search clears the selection, so that an action on the selected rows never affects a hidden row. A row that
 * left its page while the total fell was deleted.
 */
function keepSelected<R>(
  selected: readonly R[],
  now: Seen<R>,
  before: Seen<R> | undefined,
  rowKey: (row: R) => Key,
): readonly R[] {
  if (before?.search !== now.search) return [];
  if (before.query !== now.query || before.total <= now.total) return selected;
  const left = new Set(now.rows.map(rowKey));
  const gone = new Set(before.rows.map(rowKey).filter((key) => !left.has(key)));
  return selected.filter((row) => !gone.has(rowKey(row)));
}

interface CursorButtonsProps {
  readonly cursors: Cursors;
  readonly state: ListState;
  readonly change: (part: Partial<ListState>) => void;
}

function CursorButtons({ cursors: { nextCursor }, state, change }: CursorButtonsProps) {
  const t = useTexts();
  const { cursor, ...filters } = state.filters;
  if (cursor === undefined && nextCursor === null) return null;
  return (
    <div className="q-buttons q-list-bar">
      <Button disabled={cursor === undefined} onClick={() => change({ filters })}>
        {t.newest}
      </Button>
      <Button
        disabled={nextCursor === null}
        onClick={() => nextCursor !== null && change({ filters: { ...filters, cursor: nextCursor } })}
      >
        {t.older}
      </Button>
    </div>
  );
}

const slowMs = 5000;

function useSlow(busy: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setTimeout(() => setSlow(true), slowMs);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [busy]);
  return slow;
}

function Nothing({ title, about, action, loading }: EmptyText & { readonly loading: boolean }) {
  if (loading) return <div className="q-nothing" />;
  return (
    <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={title}>
      {about !== undefined && <p className="q-soft">{about}</p>}
      {action}
    </Empty>
  );
}

interface ExportProps {
  readonly operation: Operation;
  readonly filters: ListState["filters"];
  readonly toQuery?: (filters: ListState["filters"]) => object;
  readonly label?: string;
}

export function ExportButton({ operation, filters, toQuery, label }: ExportProps) {
  const t = useTexts();
  const { message } = App.useApp();
  const may = useMay();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      await download(operation, { query: toQuery ? toQuery(filters) : filters } as never);
      void message.success(t.exported);
    } catch (error) {
      void message.error((error as CallFailure).message);
    } finally {
      setBusy(false);
    }
  };
  if (!may(operation)) return null;
  return (
    <Button icon={<DownloadOutlined aria-hidden />} loading={busy} onClick={() => void run()}>
      {busy ? t.exporting : (label ?? t.exportFile)}
    </Button>
  );
}
