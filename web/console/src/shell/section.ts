import type { ComponentType, ReactNode } from "react";
import type { Operation } from "#console/call/operation.ts";
import type { Session } from "#console/session/session.ts";
import type { Bilingual } from "#platform/contract/language.ts";

/** One page of the console; its code is loaded when it is first opened. */
export interface Page {
  /** Below the section's: "" for the first page, else such as "reports". */
  readonly path: string;
  readonly title: Bilingual;
  readonly load: () => Promise<ComponentType>;
  /** An operation without which the page is of no use: who may not call it is not offered the page. */
  readonly needs: Pick<Operation, "who" | "service">;
  /** True: reached from other pages, not from the menu. */
  readonly hidden?: boolean;
}

/** The pages of a service, as the menu shows them. */
export interface Section {
  readonly service: Session["service"];
  /** The first part of the address. */
  readonly path: string;
  readonly title: Bilingual;
  readonly icon: ReactNode;
  readonly pages: readonly Page[];
}
