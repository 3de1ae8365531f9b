import type { Pool } from "#platform/database/index.ts";

/** "" means not set. Pictures are names of the platform's uploads. */
export interface Institution {
  readonly name: string;
  /** The other name is used if this is not set. */
  readonly nameEn: string;
  readonly color: string;
  readonly logo: string;
  readonly seal: string;
}

export interface InstitutionReader {
  /**
   * Returns the value read last, as the same object until it changes. It never waits; a value older than 2 s is read
   * again in the background.
   */
  current(): Institution;
  load(): Promise<void>;
}

const notSet: Institution = { name: "", nameEn: "", color: "", logo: "", seal: "" };
const freshMs = 2000;

// Workbooks are written in functions that have no platform at hand, and a process has one institution.
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
