import { readFile, type SourceFile } from "./rules.ts";

// The platform's folders are layers: a folder imports only from those before it in this list, so there are no cycles.
export const rooms = [
  "contract",
  "tracing",
  "sealing",
  "database",
  "embedded-postgres",
  "jobs",
  "outbound",
  "files",
  "messaging",
  "sign-on",
  "process",
  "data-keys",
  "backup",
  "workbooks",
  "alerts",
  "notices",
  "accounts",
  "openapi",
  "http",
] as const;

const platform = "src/platform/";
const roomOf = (path: string): string => /^src\/platform\/([^/]+)\//.exec(path)?.[1] ?? "";
/** Returns the platform's folder that an import leads to; the name of any other import is returned unchanged. */
const toRoom = (name: string): string => /^#(?:platform|quintet\/platform)\/([^/]+)\//.exec(name)?.[1] ?? name;

const listSteps = (files: readonly SourceFile[]) =>
  files
    .filter(({ path }) => path.startsWith(platform) && !path.endsWith(".test.ts"))
    .flatMap((file) =>
      readFile(file)
        .imports.filter((name) => /^#(?!test\/)/.test(name))
        .map((name) => ({ path: file.path, from: roomOf(file.path), to: toRoom(name), name })),
    )
    .filter(({ from, to }) => from !== to);

export function findRoomFaults(files: readonly SourceFile[]): string[] {
  const floors = new Map<string, number>(rooms.map((room, floor) => [room, floor]));
  return [
    ...files
      .filter(({ path }) => path.startsWith(platform) && !floors.has(roomOf(path)))
      .map(({ path }) => `${path} is in none of the rooms`),
    ...listSteps(files)
      .filter(({ from, to }) => (floors.get(to) ?? rooms.length) >= (floors.get(from) ?? rooms.length))
      .map(({ path, name }) => `${path} imports ${name}, which stands above it`),
  ];
}

export function describeRooms(files: readonly SourceFile[]): string {
  const under = Map.groupBy(listSteps(files), ({ from }) => from);
  return rooms
    .map((room) => {
      const below = new Set((under.get(room) ?? []).map(({ to }) => to));
      const names = rooms.filter((name) => below.has(name)).join(", ");
      return `${room.padEnd(18)} ${names === "" ? "on nothing" : `on ${names}`}`;
    })
    .join("\n  ");
}
