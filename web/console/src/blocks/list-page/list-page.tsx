import { DownloadOutlined, ReloadOutlined } from "@ant-design/icons";
import { Alert, App, Button, Empty, Space, Table, Tooltip } from "antd";
import { type Key, type ReactNode, useEffect, useState } from "react";
import type { Endpoint } from "#platform/endpoint.ts";
import { Failure } from "#console/blocks/failure.tsx";
import type { Field } from "#console/blocks/fields.tsx";
import { type ListState, useListState } from "#console/blocks/list-page/address.ts";
import { type Column, ColumnChoice, toTableColumn, useColumns } from "#console/blocks/list-page/columns.tsx";
import { SearchForm } from "#console/blocks/list-page/search-form.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { texts } from "#console/blocks/texts.ts";
import { download } from "#console/call/call.ts";
import type { CallFailure } from "#console/call/failure.ts";
import type { Data, Given, Operation, RecordOf } from "#console/call/operation.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/language/language.ts";

interface EmptyText {
  readonly title: string;
  /** What to do first. */
  readonly about?: ReactNode;
  readonly action?: ReactNode;
}

export interface ListPageProps<E extends Endpoint, R extends object = RecordOf<Operation<E>> & object> {
  readonly title: string;
  readonly about?: ReactNode;
  /** Under which the browser remembers the columns: "reporting/reports". */
  readonly name: string;
  /** What gives the records: pages, or an array. */
  readonly operation: Operation<E>;
  /** Where the page stands in the answer, when that holds more than the page. */
  readonly toPage?: (data: Data<E>) => unknown;
  /** What is asked for besides the filters of the address: parameters of the path, constants of the query. */
  readonly given?: { readonly params?: object; readonly query?: object };
  /** The search; each field's name is a parameter of the query. */
  readonly filters?: readonly Field[];
  readonly columns: readonly Column<R>[];
  /** Left out: the record's id. */
  readonly rowKey?: (row: R) => Key;
  /** What a screen reader calls a row; left out, its key. */
  readonly rowName?: (row: R) => string;
  /** Buttons that concern the list: create, import. */
  readonly actions?: ReactNode;
  /** Buttons that concern the selected rows; without it rows cannot be selected. */
  readonly batch?: (rows: readonly R[], unselect: () => void) => ReactNode;
  /** Exports what the filters of the moment show. */
  readonly exporting?: { readonly operation: Operation; readonly toQuery?: (filters: ListState["filters"]) => object };
  /** What to say when there is nothing at all, and nothing was searched for. */
  readonly empty: EmptyText;
  /** Asks again after so long. */
  readonly everyMs?: number;
  /** Between the search and the table: tabs, figures. */
  readonly children?: ReactNode;
}

/** A list as people here know it: search, table, columns, paging; its state is in the address. */
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
  const t = useTexts(texts);
  const [state, change] = useListState();
  const { shown, chosen, choose, standard } = useColumns(name, columns);
  const [selected, setSelected] = useState<readonly R[]>([]);
  const query = { ...given?.query, ...state.filters, ...toPaging(operation, state) };
  const read = useRead(operation, { params: given?.params, query } as unknown as Given<E>, {
    keep: true,
    ...(everyMs !== undefined && { everyMs }),
  });
  const { rows, total } = readPage<R>(read.data !== undefined && props.toPage ? props.toPage(read.data) : read.data);
  const slow = useSlow(read.isFetching && read.data === undefined);
  const unselect = () => setSelected([]);
  // As they are now, where they are on the page: a state may have changed since they were selected.
  const chosenRows = selected.map((row) => rows.find((now) => rowKey(now) === rowKey(row)) ?? row);
  useLastPage(operation, state, { rows, total }, change);
  const isFiltered = Object.keys(state.filters).length > 0;
  return (
    <>
      <PageHead title={title} about={about}>
        {actions !== undefined && <Space>{actions}</Space>}
      </PageHead>
      {filters.length > 0 && (
        <SearchForm
          fields={filters}
          filters={state.filters}
          onSearch={(next) => {
            // What is not seen any more must not be deleted with the rest.
            unselect();
            change({ filters: next, page: 1 });
          }}
        />
      )}
      {props.children}
      <section className="q-card q-list" aria-label={title}>
        <div className="q-list-bar">
          {batch && selected.length > 0 && (
            <Space className="q-selected">
              <span role="status">{t.selected(selected.length)}</span>
              <Button type="link" size="small" onClick={unselect}>
                {t.unselect}
              </Button>
              {batch(chosenRows, unselect)}
            </Space>
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
        {read.error && <Failure failure={read.error} onRetry={read.refetch} />}
        {(read.data !== undefined || !read.error) && (
          <Table<R>
            size={chosen.density}
            rowKey={rowKey}
            dataSource={[...rows]}
            columns={shown.map(toTableColumn<R>(state))}
            loading={{ spinning: read.isFetching && (read.isPlaceholderData || read.data === undefined), delay: 150 }}
            scroll={{ x: shown.reduce((sum, { width = 140 }) => sum + width, 0) }}
            locale={{
              emptyText: (
                <Nothing
                  {...(isFiltered ? { title: t.noMatch, about: t.noMatchAbout } : empty)}
                  loading={read.data === undefined}
                />
              ),
            }}
            pagination={toPagination(operation, state, total, t.total)}
            onChange={(pagination, _filters, sorter, { action }) => {
              if (action === "paginate")
                return change({ page: pagination.current ?? 1, size: pagination.pageSize ?? state.size });
              const [one] = [sorter].flat();
              const order = one?.order === "ascend" ? "asc" : one?.order === "descend" ? "desc" : undefined;
              return change({ page: 1, sort: order && String(one?.columnKey), order });
            }}
            {...(batch && {
              rowSelection: {
                columnWidth: 44,
                preserveSelectedRowKeys: true,
                selectedRowKeys: selected.map(rowKey),
                onChange: (_keys: Key[], next: R[]) => setSelected(next),
                getCheckboxProps: (row: R) => ({
                  "aria-label": t.selectRow(props.rowName?.(row) ?? String(rowKey(row))),
                }),
                getTitleCheckboxProps: () => ({ "aria-label": t.selectAll }),
              },
            })}
          />
        )}
      </section>
    </>
  );
}

interface Page<R> {
  readonly rows: readonly R[];
  readonly total: number;
}

function readPage<R>(data: unknown): Page<R> {
  if (Array.isArray(data)) return { rows: data as R[], total: data.length };
  const page = data as { list: R[]; totalCount: number } | undefined;
  return { rows: page?.list ?? [], total: page?.totalCount ?? 0 };
}

function toPaging({ page: parameter }: Operation, { page, size, sort, order }: ListState): object {
  const sorting = sort && order ? { orderField: sort, order } : {};
  return parameter ? { [parameter]: page, pageSize: size, ...sorting } : {};
}

/** What is gone from the end of a list takes its last page along: then the one before is shown. */
function useLastPage(
  { page: parameter }: Operation,
  { page, size }: ListState,
  { rows, total }: Page<unknown>,
  change: (part: Partial<ListState>) => void,
): void {
  const last = Math.ceil(total / size);
  const past = parameter !== undefined && rows.length === 0 && total > 0 && page > last;
  useEffect(() => {
    if (past) change({ page: last });
  });
}

type Total = (count: number, from: number, to: number) => string;

// An array is paged here; the address has no part in it.
const toPagination = ({ page: parameter }: Operation, { page, size }: ListState, total: number, say: Total) => ({
  ...(parameter ? { current: page, pageSize: size, total } : { defaultPageSize: 50, hideOnSinglePage: true }),
  size: "small" as const,
  showSizeChanger: true,
  pageSizeOptions: [10, 20, 50, 100, 200],
  showTotal: (count: number, [from, to]: [number, number]) => say(count, from, to),
  showQuickJumper: total > size * 10,
});

const slowMs = 5000;

/** Whether it has been going on for so long that a word is in order. */
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
}

function ExportButton({ operation, filters, toQuery }: ExportProps) {
  const t = useTexts(texts);
  const { message } = App.useApp();
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
  return (
    <Button icon={<DownloadOutlined aria-hidden />} loading={busy} onClick={() => void run()}>
      {busy ? t.exporting : t.exportFile}
    </Button>
  );
}
