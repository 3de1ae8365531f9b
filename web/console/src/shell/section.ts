import type { ComponentType, ReactNode } from "react";
import type { Needed } from "#console/session/session.ts";
import type { Operation } from "#shared/call/operation.ts";
import type { Bilingual } from "#platform/contract/language.ts";

export interface Page {
  /** Relative to the section: "" for the first page, else such as "reports". */
  readonly path: string;
  readonly title: Bilingual;
  readonly load: () => Promise<ComponentType>;
  /** The page's essential operation; without the right the page is not offered. */
  readonly needs: Needed;
  readonly hidden?: boolean;
}

export interface Accounts {
  readonly title: Bilingual;
  /** The page that lists the accounts, and its operation. */
  readonly page: string;
  readonly list: Operation;
}

/** A service in the console, without its pages: data for the menu and the session. */
export interface Section {
  /** The service's path prefix: "/reporting/…". */
  readonly service: string;
  readonly title: Bilingual;
  readonly icon: ReactNode;
  /** The operations that the audit log names. */
  readonly operations: Readonly<
    Record<string, Pick<Operation, "name" | "method" | "who" | "takes" | "asFile" | "audited">>
  >;
  /** The home page's part: loads its data and shows StatCards. */
  readonly loadFigures?: () => Promise<ComponentType>;
  /** The operation that the figures read, if another service's. */
  readonly figuresNeed?: Page["needs"];
  readonly loadSettingWords?: () => Promise<Readonly<Record<string, string>>>;
  /** Absent: only operators use the service. */
  readonly accounts?: Accounts;
}
