import { workerData } from "node:worker_threads";
import { servePieces } from "#platform/workbooks/worker-stream.ts";
import { type LookOrder, lookAtBook } from "./look-at-book.ts";

// oxlint-disable-next-line no-unsafe-type-assertion -- index.ts is the only one to start this file
servePieces(lookAtBook(workerData as LookOrder));
