import type { Pool } from "#platform/database/index.ts";

/** Whose installation it is; "" is not set. Pictures are names of the platform's uploads. */
export interface Institution {
  readonly name: string;
  /** In English; the other name where it is not set. */
  readonly nameEn: string;
  /** As `#rrggbb`. */
  readonly color: string;
  readonly logo: string;
  readonly seal: string;
}

export interface InstitutionReader {
  /** What was read last: the same object until it changes. It never waits, and is read anew when it is older than 2 s. */
  current(): Institution;
  /** Reads it anew. */
  load(): Promise<void>;
}

const notSet: Institution = { name: "", nameEn: "", color: "", logo: "", seal: "" };
const freshMs = 2000;

// Workbooks are written far below whoever holds the platform, and all of a process are of one institution.
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
        // Without the database the last known stays.
        void load()
          .catch(() => undefined)
          .finally(() => (reading = false));
      }
      return known;
    },
    load,
  };
}

/** One value an institution: made anew when that has changed. */
export function perInstitution<T>(reader: InstitutionReader, make: (institution: Institution) => T): () => T {
  const made = new WeakMap<Institution, T>();
  return () => made.getOrInsertComputed(reader.current(), make);
}
