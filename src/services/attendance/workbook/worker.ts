import { workerData } from "node:worker_threads";
import { servePieces } from "#platform/workbooks/worker-stream.ts";
import type { ReadOrder } from "./parts.ts";
import { lookAtBook, type LookOrder } from "./look-at-book.ts";
import { readBook } from "./read-book.ts";

// oxlint-disable-next-line no-unsafe-type-assertion -- only index.ts starts this worker
const order = workerData as ReadOrder | LookOrder;
if ("wishes" in order) servePieces(lookAtBook(order));
else
  servePieces(readBook(order), ({ parts }) =>
    parts.flatMap((part) => (part.kind === "copy" ? [part.text.buffer as ArrayBuffer] : [])),
  );
