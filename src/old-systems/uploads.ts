import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, copyFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { CopyValue, Db } from "#platform/database/index.ts";
import { detectUploadType, type UploadType } from "#platform/files/file-type.ts";
import type { OldRecord } from "#platform/process/old-row.ts";
import type { FileStore } from "#platform/files/file-store.ts";
import { says, type Source, type Tell } from "./source.ts";

// An old row refers to a file by an address within a text or by a name in a column. Only files with such a reference
// are copied, since other files would be deleted after a day.

export interface UploadPlace {
  readonly service: string;
  readonly folder: string;
  readonly address: string;
  /** The file store, and a temporary folder on the disk of DATA_DIR. If undefined, no files are copied. */
  readonly copies?: { readonly files: FileStore; readonly spool: string };
  readonly toReference: (upload: string) => string;
  readonly tell: Tell;
}

interface Copied {
  readonly upload: string;
  readonly originalName: string;
  readonly type: UploadType;
  readonly bytes: number;
  readonly sha256: Buffer;
}

export interface Uploads {
  replace(source: Source, key: string, values: Record<string, CopyValue>): Promise<void>;
  store(tx: Db): Promise<void>;
}

const toHolder = ({ files, table }: OldRecord): string => files?.holder ?? table.slice(table.indexOf(".") + 1);

const noFile = says("文件不存在，地址保持不变", "the file is missing; its address is not changed");
const noType = says("不支持的文件类型，未复制", "this file type is not supported; the file is not copied");

export async function sha256Of(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const hash = createHash("sha256");
  for await (const piece of source) hash.update(piece);
  return hash.digest();
}

export function toOldFile({ folder, address }: Pick<UploadPlace, "folder" | "address">, given: string) {
  const below = given.startsWith(address) ? given.slice(address.length) : given;
  try {
    const file = path.resolve(folder, `./${decodeURIComponent(below.replace(/[?#].*$/, ""))}`);
    return file.startsWith(path.resolve(folder) + path.sep) ? file : undefined;
  } catch {
    return undefined;
  }
}

export async function openUploads(tx: Db, place: UploadPlace): Promise<Uploads> {
  const { service, address, copies, toReference } = place;
  const known = await tx.query<{ address: string; upload: string }>(
    "select address, upload from platform.old_file where service = $1",
    [service],
  );
  const uploads = new Map<string, Promise<string | undefined>>(
    known.map((file) => [file.address, Promise.resolve(file.upload)]),
  );
  const copied = new Map<string, Copied>();
  const holds: { readonly upload: string; readonly source: Source; readonly key: string }[] = [];
  const named = new RegExp(`${RegExp.escape(address)}[^\\s"'<>(),;|\\\\]+`, "g");

  async function copy(given: string): Promise<ReturnType<typeof says> | string> {
    const file = toOldFile(place, given);
    const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
    if (file === undefined || !found?.isFile()) return noFile;
    const type = await detectUploadType(file, path.basename(file));
    if (!type) return noType;
    const upload = `${randomBytes(16).toString("hex")}.${type.extension}`;
    if (copies) {
      const local = path.join(copies.spool, upload);
      await copyFile(file, local);
      await chmod(local, 0o600);
      const sha256 = await sha256Of(createReadStream(local));
      if (!sha256.equals(await sha256Of(createReadStream(file))))
        throw new Error(`${file} changed while it was being copied.`);
      await copies.files.put(upload, { path: local, bytes: found.size, sha256 });
      await rm(local, { force: true });
      copied.set(given, { upload, originalName: path.basename(file), type, bytes: found.size, sha256 });
    }
    return upload;
  }

  async function find(source: Source, key: string, field: string, name: string): Promise<string | undefined> {
    const given = name.startsWith(address) ? name : address + name;
    const bring = async (): Promise<string | undefined> => {
      const made = await copy(given);
      if (typeof made === "string") return made;
      place.tell(source, key, { rule: "decide", field, value: name, reason: made });
      return undefined;
    };
    const brought = uploads.get(given) ?? bring();
    uploads.set(given, brought);
    const upload = await brought;
    if (upload !== undefined) holds.push({ upload, source, key });
    return upload;
  }

  async function replaceText(source: Source, key: string, column: string, text: string): Promise<string> {
    const { columns = [], byName } = source.record.files ?? {};
    const isFileColumn = columns.includes(column);
    if (isFileColumn && byName) {
      const names: string[] = [];
      for (const part of text.split(",").map((one) => one.trim()))
        names.push(part === "" ? "" : ((await find(source, key, column, part)) ?? part));
      return names.join(",");
    }
    const references = new Map<string, string>();
    for (const given of new Set(text.match(named) ?? [])) {
      const upload = await find(source, key, column, given);
      if (upload !== undefined) references.set(given, toReference(upload));
    }
    return text.replaceAll(named, (given) => references.get(given) ?? given);
  }

  const mayName = ({ record: { files } }: Source, column: string, text: string): boolean =>
    text.includes(address) || (files?.byName === true && files.columns.includes(column));

  async function replaceAll(source: Source, key: string, column: string, texts: readonly string[]) {
    const replaced: string[] = [];
    for (const text of texts) replaced.push(await replaceText(source, key, column, text));
    return replaced;
  }

  return {
    async replace(source, key, values) {
      for (const [column, value] of Object.entries(values)) {
        if (typeof value === "string" && mayName(source, column, value))
          values[column] = await replaceText(source, key, column, value);
        else if (Array.isArray(value) && value.some((one) => typeof one === "string"))
          values[column] = await replaceAll(source, key, column, value as string[]);
      }
    },
    async store(db) {
      const list = [...copied];
      await db`
        insert into platform.upload (name, service, mime, image, bytes, original_name, claimed)
        select name, ${service}, mime, image, bytes, original, true from unnest(
          ${list.map(([, { upload }]) => upload)}::text[], ${list.map(([, { type }]) => type.mime)}::text[],
          ${list.map(([, { type }]) => type.image)}::boolean[], ${list.map(([, { bytes }]) => bytes)}::bigint[],
          ${list.map(([, { originalName }]) => originalName.slice(0, 255))}::text[]) as one (name, mime, image, bytes, original)`;
      await db`
        insert into platform.old_file (service, address, upload, sha256)
        select ${service}, * from unnest(${list.map(([given]) => given)}::text[],
          ${list.map(([, { upload }]) => upload)}::text[], ${list.map(([, { sha256 }]) => sha256)}::bytea[])`;
      await db`
        insert into platform.upload_hold (upload, service, record)
        select distinct upload, ${service}, holder || '/' || known.id from unnest(
          ${holds.map(({ upload }) => upload)}::text[], ${holds.map(({ source }) => toHolder(source.record))}::text[],
          ${holds.map(({ source }) => source.name)}::text[], ${holds.map(({ key }) => key)}::bigint[])
          as hold (upload, holder, record, old_id)
        join platform.old_row as known using (record, old_id) join platform.upload on upload.name = hold.upload
        on conflict do nothing`;
    },
  };
}
