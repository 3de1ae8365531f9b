import { Within } from "#platform/database/index.ts";
import { dimensions } from "#services/attendance/scope-contract.ts";

// A department's workbook is passed on to it.

/** What the notes in a department's workbook may name: nobody of other departments. */
export const narrowToDepartment = (within: Within, department: string | undefined): Within =>
  within.isEverywhere && department !== undefined ? Within.of({ department: [department] }, dimensions) : within;

export const toFileName = (department: string): string => department.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, "-");

// File systems allow 255 bytes, which are 85 Chinese characters.
const mostCharacters = 75;

/** A distinct file name for each department, ignoring case, as file systems do. */
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
