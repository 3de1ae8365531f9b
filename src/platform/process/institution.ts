import type { Pool } from "#platform/database/index.ts";

/** The institution's name and appearance. "" means that a field is not set; `logo` and `seal` are names of uploads. */
export interface Institution {
  readonly name: string;
  /** If this name is not set, `name` is used instead. */
  readonly nameEn: string;
  readonly color: string;
  readonly logo: string;
  readonly seal: string;
}

export interface InstitutionReader {
  /**
   * Returns the value read last, without waiting. The object stays the same until the value changes. If the value is
   * older than 2 s, it is read again in the background.
   */
  current(): Institution;
  load(): Promise<void>;
}

const notSet: Institution = { name: "", nameEn: "", color: "", logo: "", seal: "" };
const freshMs = 2000;

// This is global because functions that write workbooks have no platform at hand, and a process has only one
// institution.
let ofProcess = notSet;
export const institutionName = (): string => ofProcess.name;

export async function openInstitution(pool: Pool): Promise<InstitutionReader> {
  let [known, readMs, reading] = [notSet, 0, false];
  const load = async (): Promise<void> => {
    readMs = performance.now();
    const found = await pool.first<Institution>`
      select name, name_en as "nameEn", color, logo, seal from platform.institution`;
    if (found && JSON.stringify(found) !== JSON.stringify(known)) known = found;
    ofProcess = known;
  };
  await load();
  return {
    current: () => {
      if (!reading && performance.now() - readMs > freshMs) {
        reading = true;
        void load()
          .catch(() => undefined)
          .finally(() => (reading = false));
      }
      return known;
    },
    load,
  };
}

export function perInstitution<T>(reader: InstitutionReader, make: (institution: Institution) => T): () => T {
  const made = new WeakMap<Institution, T>();
  return () => made.getOrInsertComputed(reader.current(), make);
}
