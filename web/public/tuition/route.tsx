import { type ReactNode, useSyncExternalStore } from "react";
import { place } from "#shared/place.ts";

// The students' pages are one document: going from one to the next changes the address and nothing else.

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
  /** Of an order's link, whose secret stands behind the #. */
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

/** Where the person is: the view is read out of it, so that it is the same text as long as nothing has changed. */
export const usePath = (): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => location.pathname,
  );

let news: string | undefined;

/** What the page that one comes to should tell, once. */
export function takeNews(): string | undefined {
  const taken = news;
  news = undefined;
  return taken;
}

/** Goes to another of these pages. @param tells what that page should say, such as why one is there */
export function go(path: string, { replace = false, tells }: { replace?: boolean; tells?: string } = {}): void {
  news = tells;
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  tell();
  scrollTo(0, 0);
  focusHead();
}

/** Who hears the page, or uses it by keyboard, begins at its head again, as on a page that was loaded. */
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

/** A link to another of these pages: a real one, which can be opened in a tab of its own. */
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
