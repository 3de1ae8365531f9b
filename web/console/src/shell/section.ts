import type { ComponentType, ReactNode } from "react";
import type { Needed } from "#console/session/session.ts";
import type { Operation } from "#shared/call/operation.ts";
import type { Bilingual } from "#platform/contract/language.ts";

export interface Page {
  /** Below the section's: "" for the first page, else such as "reports". */
  readonly path: string;
  readonly title: Bilingual;
  readonly load: () => Promise<ComponentType>;
  /** An operation without which the page is of no use: who may not call it is not offered the page. */
  readonly needs: Needed;
  readonly hidden?: boolean;
}

export interface Accounts {
  readonly title: Bilingual;
  /** Which of the pages lists them, and by which operation. */
  readonly page: string;
  readonly list: Operation;
}

/** A service as the console has it, without its pages: what menu, pages and session tell of it. */
export interface Section {
  /** Its pages are below it: "/reporting/…". */
  readonly service: string;
  readonly title: Bilingual;
  readonly icon: ReactNode;
  /** Of which the audit log tells. */
  readonly operations: Readonly<
    Record<string, Pick<Operation, "name" | "method" | "who" | "takes" | "asFile" | "audited">>
  >;
  /** Its part of the home page: reads what it needs, and shows StatCards. */
  readonly loadFigures?: () => Promise<ComponentType>;
  /** What these are read by, where it is of another service. */
  readonly figuresNeed?: Page["needs"];
  /** What its settings mean in Chinese. */
  readonly loadSettingWords?: () => Promise<Readonly<Record<string, string>>>;
  /** Left out: only operators use the service. */
  readonly accounts?: Accounts;
}
