import { type ReactNode, useSyncExternalStore } from "react";
import { place } from "#shared/place.ts";

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

export const usePath = (): string =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => location.pathname,
  );

let news: string | undefined;

export function takeNews(): string | undefined {
  const taken = news;
  news = undefined;
  return taken;
}

/** @param tells a message shown once on the next page */
export function go(path: string, { replace = false, tells }: { replace?: boolean; tells?: string } = {}): void {
  news = tells;
  if (replace) history.replaceState(null, "", path);
  else history.pushState(null, "", path);
  tell();
  scrollTo(0, 0);
  focusHead();
}

/** Users of screen readers and keyboards expect the focus at the top after navigation, as after a page load. */
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
