import type { Within } from "#platform/database/index.ts";

/** A department receives its workbook, so the notes in it must not name people of other departments. */
export const narrowToDepartment = (within: Within, department: string | undefined): Within =>
  department === undefined ? within : within.narrowedBy("department", department);

export const toFileName = (department: string): string => department.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, "-");

// File systems allow names of 255 bytes, which is 85 Chinese characters. Ten of these are reserved for a number and the
// extension.
const mostCharacters = 75;

/**
 * Returns a distinct file name for each department. Names that differ only in case are not distinct in some file
 * systems.
 */
export function nameFiles(departments: readonly string[], unnamed: string): string[] {
  const taken = new Set<string>();
  return departments.map((department) => {
    const name = [...toFileName(department || unnamed)].slice(0, mostCharacters).join("");
    let free = name;
    for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${name} (${number})`;
    taken.add(free.toLowerCase());
    return `${free}.xlsx`;
  });
}
