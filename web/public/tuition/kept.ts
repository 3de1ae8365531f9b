import { openKept as open } from "#public/blocks/kept.ts";

export const openKept = <T>(name: string) => open<T>(`tuition.${name}`);

export const forgetStudent = (): void =>
  ["choice", "feedback", "code", "link"].forEach((name) => openKept(name).forget());
