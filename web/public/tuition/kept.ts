import { openKept as open } from "#public/blocks/kept.ts";

export const openKept = <T>(name: string) => open<T>(`tuition.${name}`);

/** Clears what one student left in the tab. */
export const forgetStudent = (): void =>
  ["choice", "feedback", "code", "link"].forEach((name) => openKept(name).forget());
