import { useCallback, useEffect, useRef, useState } from "react";
import { reporting } from "#shared/api/reporting.ts";
import { callWith, makeKey } from "#shared/call/exchange.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { currentLine, onLine } from "#shared/call/line.ts";
import { place } from "#shared/place.ts";
import type { KeptFile } from "./draft.ts";
import { mostFiles } from "./fields.ts";

// Files upload one at a time while the user fills the form in, since parallel uploads would share a slow connection. A
// file whose upload was interrupted is sent again, under the same idempotency key, once the connection is back.

/** The server removes unreferenced uploads after 24 hours. */
const keptMs = 23 * 3_600_000;
const badFile = "10030";
const stalledMs = 30_000;

export type UploadState =
  | { readonly is: "waiting" }
  | { readonly is: "sending"; readonly percent: number }
  | { readonly is: "done"; readonly path: string; readonly atMs: number }
  /** After `line` the upload retries by itself or on request, after `server` only on request, after `file` never. */
  | { readonly is: "failed"; readonly message: string; readonly cause: "line" | "server" | "file" }
  | { readonly is: "tooLarge" | "lost" | "expired" };

export interface Upload {
  readonly id: string;
  readonly name: string;
  /** Missing if the upload was restored from an earlier visit. */
  readonly file?: File;
  readonly state: UploadState;
}

export interface Uploads {
  readonly list: readonly Upload[];
  /** Returns whether there were more files than the limit, in which case the rest are not added. */
  readonly add: (files: readonly File[]) => boolean;
  readonly retry: (id: string) => void;
  readonly remove: (id: string) => void;
  readonly clear: () => void;
}

export function useUploads(kept: readonly KeptFile[], keep: (files: readonly KeptFile[]) => void): Uploads {
  const [list, setList] = useState(() => kept.map(restore));
  const sending = useRef<{ readonly id: string; readonly stop: AbortController } | undefined>(undefined);
  const setState = useCallback(
    (id: string, state: UploadState) =>
      setList((all) => all.map((upload) => (upload.id === id ? { ...upload, state } : upload))),
    [],
  );
  useEffect(() => keep(list.map(toKept)), [list, keep]);
  useEffect(() => {
    const next = list.find(({ state }) => state.is === "waiting");
    if (!next?.file || sending.current) return;
    const stop = new AbortController();
    sending.current = { id: next.id, stop };
    const tell = (state: UploadState) => setState(next.id, state);
    void send(next.id, next.file, stop, tell)
      .finally(() => (sending.current = undefined))
      .then(tell);
  }, [list, setState]);
  const retryAll = useCallback(
    () =>
      setList((all) =>
        all.map((upload) =>
          upload.state.is === "failed" && upload.state.cause === "line"
            ? { ...upload, state: { is: "waiting" } }
            : upload,
        ),
      ),
    [],
  );
  useEffect(() => onLine(() => currentLine().isDown || retryAll()), [retryAll]);
  return {
    list,
    add: (files) => {
      const room = mostFiles - list.length;
      setList([...list, ...files.slice(0, room).map(begin)]);
      return files.length > room;
    },
    retry: (id) => setState(id, { is: "waiting" }),
    remove: (id) => {
      if (sending.current?.id === id) sending.current.stop.abort();
      setList((all) => all.filter((upload) => upload.id !== id));
    },
    clear: () => {
      sending.current?.stop.abort();
      setList([]);
    },
  };
}

const begin = (file: File): Upload => ({
  id: makeKey(),
  name: file.name,
  file,
  state: { is: file.size > place.maxUploadMb * 1024 * 1024 ? "tooLarge" : "waiting" },
});

function restore({ name, path, atMs }: KeptFile): Upload {
  if (path === null) return { id: makeKey(), name, state: { is: "lost" } };
  const isThere = Date.now() - atMs < keptMs;
  return { id: makeKey(), name, state: isThere ? { is: "done", path, atMs } : { is: "expired" } };
}

const toKept = ({ name, state }: Upload): KeptFile =>
  state.is === "done" ? { name, path: state.path, atMs: state.atMs } : { name, path: null, atMs: 0 };

async function send(
  id: string,
  file: File,
  stop: AbortController,
  tell: (state: UploadState) => void,
): Promise<UploadState> {
  let stalled = setTimeout(() => stop.abort(), stalledMs);
  const onProgress = (percent: number) => {
    clearTimeout(stalled);
    stalled = setTimeout(() => stop.abort(), stalledMs);
    tell({ is: "sending", percent });
  };
  try {
    const options = { onProgress, signal: stop.signal, idempotencyKey: id };
    const path = await callWith(reporting.uploadFile, { file }, options);
    return { is: "done", path, atMs: Date.now() };
  } catch (error) {
    if (error instanceof CallFailure && error.code !== "network")
      return { is: "failed", message: error.message, cause: error.code === badFile ? "file" : "server" };
    return { is: "failed", message: "", cause: "line" };
  } finally {
    clearTimeout(stalled);
  }
}
