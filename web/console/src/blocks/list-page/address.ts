import { useSearchParams } from "react-router";

/** What a list shows, all of it in the address: filters by their names on the wire, page, size, sort, order. */
export interface ListState {
  readonly filters: Readonly<Record<string, string>>;
  readonly page: number;
  readonly size: number;
  readonly sort: string | undefined;
  readonly order: "asc" | "desc" | undefined;
}

const standardSize = 20;
const own = new Set(["page", "size", "sort", "order", "open"]);

/** The state of a list out of the address, and how to change a part of it. */
export function useListState(): readonly [ListState, (change: Partial<ListState>) => void] {
  const [search, setSearch] = useSearchParams();
  const state: ListState = {
    filters: Object.fromEntries([...search].filter(([name, value]) => !own.has(name) && value !== "")),
    page: toWhole(search.get("page"), 1),
    size: toWhole(search.get("size"), standardSize),
    sort: search.get("sort") ?? undefined,
    order: search.get("order") === "desc" ? "desc" : search.get("order") === "asc" ? "asc" : undefined,
  };
  const change = (part: Partial<ListState>) => setSearch(toSearch({ ...state, ...part }));
  return [state, change];
}

const toWhole = (text: string | null, standard: number): number =>
  text !== null && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : standard;

function toSearch({ filters, page, size, sort, order }: ListState): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) if (value !== "") search.set(name, value);
  if (page !== 1) search.set("page", String(page));
  if (size !== standardSize) search.set("size", String(size));
  if (sort && order) {
    search.set("sort", sort);
    search.set("order", order);
  }
  return search;
}

/** The record that is open beside the list: it is in the address too, for a link to lead to it. */
export function useOpened(): readonly [string | undefined, (id: string | number | undefined) => void] {
  const [search, setSearch] = useSearchParams();
  const open = (id: string | number | undefined) =>
    setSearch(() => {
      // As the address is now, and not as it was drawn: what is closed when a call has ended must not take back what
      // was searched for while it was under way.
      const next = new URLSearchParams(window.location.search);
      if (id === undefined) next.delete("open");
      else next.set("open", String(id));
      return next;
    });
  return [search.get("open") ?? undefined, open];
}
