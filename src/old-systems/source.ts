import type { Bilingual } from "#platform/contract/language.ts";
import type { OldFinding, OldRecord } from "#platform/process/old-row.ts";
import type { OldMap } from "./map.ts";

export interface Source {
  readonly name: string;
  readonly service: string;
  readonly record: OldRecord;
  readonly mapped: OldMap["records"][string];
}

export interface Finding extends OldFinding {
  readonly record: string;
  readonly table: string;
  readonly key: string;
}

export type Tell = (source: Source, key: string, finding: OldFinding) => void;

export const rawTable = ({ record }: Source): string => `"raw_${record.name}"`;
export const stagedTable = ({ record }: Source): string => `"old_${record.name}"`;

export const says = (zh: string, en: string): Bilingual => ({ zh, en });
