import { readFile, type SourceFile } from "./rules.ts";

// The rooms of the platform stand on one another. A room imports from those before it in this list, and from no other:
// so there are no circles, and whoever reads from the left needs nothing that comes later.
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
  "accounts",
  "openapi",
  "http",
] as const;

const platform = "src/platform/";
const isProgram = (path: string): boolean => path.startsWith(platform) && !path.endsWith(".test.ts");
const roomOf = (path: string): string => /^src\/platform\/([^/]+)\//.exec(path)?.[1] ?? "";

interface Step {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly name: string;
}

/** Every import by which a file of the platform leaves its room. */
function listSteps(files: readonly SourceFile[]): Step[] {
  return files
    .filter(({ path }) => isProgram(path))
    .flatMap((file) =>
      readFile(file)
        .imports.filter((name) => /^#(?!test\/)/.test(name))
        .map((name) => ({ path: file.path, from: roomOf(file.path), to: toRoom(name), name })),
    )
    .filter(({ from, to }) => from !== to);
}

/** The room that an import leads to; what lies above the platform is by its own name. */
const toRoom = (name: string): string => /^#(?:platform|quintet\/platform)\/([^/]+)\//.exec(name)?.[1] ?? name;

/** What is wrong with the rooms, a line each. */
export function findRoomFaults(files: readonly SourceFile[]): string[] {
  const steps = listSteps(files);
  return [
    ...files
      .filter(({ path }) => path.startsWith(platform) && !rooms.some((room) => room === roomOf(path)))
      .map(({ path }) => `${path} is in none of the rooms`),
    ...steps.filter(runsUp).map(({ path, name }) => `${path} imports ${name}, which stands above it`),
    ...findCircles(steps).map((circle) => `a circle: ${circle.join(" → ")}`),
  ];
}

const floorOf = (room: string): number => {
  const floor = rooms.findIndex((name) => name === room);
  return floor < 0 ? rooms.length : floor;
};

const runsUp = ({ from, to }: Step): boolean => floorOf(to) >= floorOf(from);

/** For each room that can be reached from itself the shortest way round, each circle once. */
function findCircles(steps: readonly Step[]): string[][] {
  const next = Map.groupBy(steps, ({ from }) => from);
  const ways = [...next.keys()].flatMap((room) => {
    const way = findWay(room, next);
    return way ? [way] : [];
  });
  return [...new Map(ways.toReversed().map((way) => [[...new Set(way)].toSorted().join(), way])).values()];
}

function findWay(room: string, next: ReadonlyMap<string, readonly Step[]>): string[] | undefined {
  const seen = new Set<string>();
  let ways = [[room]];
  while (ways.length > 0) {
    ways = ways.flatMap((way) => (next.get(way.at(-1) ?? "") ?? []).map(({ to }) => [...way, to]));
    const round = ways.find((way) => way.at(-1) === room);
    if (round) return round;
    ways = ways.filter((way) => {
      const end = way.at(-1) ?? "";
      return !seen.has(end) && seen.add(end);
    });
  }
  return undefined;
}

/** A line for people: each room, and on which it stands. */
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
