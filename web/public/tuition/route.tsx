import { type ReactNode, useSyncExternalStore } from "react";
import { place } from "#shared/place.ts";

// Client-side routing: the students' pages share one document.

export type View =
  | { readonly page: "owed" | "pay" | "orders" | "account" | "feedback" }
  | { readonly page: "link" }
  | { readonly page: "order"; readonly orderNo: string };

const root = `${place.base}/h5/tuition`;

export const paths = {
  owed: `${root}/`,
  pay: `${root}/pay`,
  orders: `${root}/orders`,
  order: (orderNo: string) => `${root}/orders/${orderNo}`,
  account: `${root}/account`,
  feedback: `${root}/feedback`,
  /** A payer's link, whose secret is in the fragment. */
  link: `${root}/link`,
};

export function toView(path: string): View {
  const [page = "", orderNo] = path.slice(root.length).split("/").filter(Boolean);
  if (page === "orders" && orderNo !== undefined) return { page: "order", orderNo };
  return isPage(page) ? { page } : { page: "owed" };
}

const isPage = (page: string): page is "pay" | "orders" | "account" | "feedback" | "link" =>
  ["pay", "orders", "account", "feedback", "link"].includes(page);

const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());
window.addEventListener("popstate", tell);

/** The current path. It is a string, so that it is stable while nothing changes. */
export const usePath = (): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => location.pathname,
  );

let news: string | undefined;

/** The one-time message for the next page. */
export function takeNews(): string | undefined {
  const taken = news;
  news = undefined;
  return taken;
}

/** Navigates to another page. @param tells its one-time message, such as the reason */
export function go(path: string, { replace = false, tells }: { replace?: boolean; tells?: string } = {}): void {
  news = tells;
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  tell();
  scrollTo(0, 0);
  focusHead();
}

/** Moves focus to the heading, as a page load would, for screen readers and keyboards. */
function focusHead(): void {
  const head = document.querySelector("h1");
  if (head === null) return;
  head.tabIndex = -1;
  head.focus({ preventScroll: true });
}

interface LinkProps {
  readonly to: string;
  readonly current?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A real link, which can be opened in a new tab. */
export function Link({ to, current = false, className, children }: LinkProps) {
  return (
    <a
      href={to}
      className={className}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
        event.preventDefault();
        go(to);
      }}
    >
      {children}
    </a>
  );
}
