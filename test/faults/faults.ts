import { killedPostgres, killedServer, stoppedUnderLoad } from "./ends.ts";
import type { Fault } from "./fault.ts";
import { exhaustedPool, fullDisk, idleConnections, slowLoris } from "./pressure.ts";
import { jumpingClock, lostStore } from "./surroundings.ts";

/** All of them, as docs/faults.md lists them. */
export const faults: readonly Fault[] = [
  killedServer,
  killedPostgres,
  stoppedUnderLoad,
  exhaustedPool,
  fullDisk,
  jumpingClock,
  lostStore,
  slowLoris,
  idleConnections,
];
