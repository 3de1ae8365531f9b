import type { ComponentType, ReactNode } from "react";
import type { Findable } from "#console/shell/find.ts";
import type { Needed } from "#console/session/session.ts";
import type { Operation } from "#shared/call/operation.ts";
import type { Bilingual } from "#platform/contract/language.ts";

export interface Page {
  readonly path: string;
  readonly title: Bilingual;
  readonly load: () => Promise<ComponentType>;
  readonly needs: Needed;
  readonly hidden?: boolean;
}

export interface Accounts {
  readonly title: Bilingual;
  readonly page: string;
  readonly list: Operation;
}

export interface Section {
  readonly service: string;
  readonly title: Bilingual;
  readonly icon: ReactNode;
  readonly operations: Readonly<
    Record<string, Pick<Operation, "name" | "method" | "who" | "takes" | "asFile" | "audited">>
  >;
  readonly loadFigures?: () => Promise<ComponentType>;
  /** Needed only if the figures are read from another service. */
  readonly figuresNeed?: Page["needs"];
  readonly loadSettingWords?: () => Promise<Readonly<Record<string, string>>>;
  readonly loadFindables?: () => Promise<readonly Findable[]>;
  readonly accounts?: Accounts;
}
