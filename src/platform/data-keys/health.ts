import type { Pool } from "#platform/database/index.ts";
import { type Part, readPart } from "#platform/process/health.ts";
import { nameColumn, type SealedColumn } from "#platform/sealing/column.ts";
import { listDataKeys, noteUniform } from "./key-store.ts";

/**
 * Whether personal data and secrets are sealed, by which key, and in how many columns something may be left that
 * `quintet seal` has to bring to it. Keys are missing that this process would need, or by which others seal and it does not.
 */
export const readSealing = (pool: Pool, columns: readonly SealedColumn[]): Promise<Part> =>
  readPart("sealing", { zh: "数据加密", en: "Sealed data" }, async () => {
    const { currentId, ids } = pool.keys;
    const known = await listDataKeys(pool);
    noteUniform(pool, known, columns);
    const present = known.find(({ id }) => id === currentId);
    const unknown = known.filter(({ id }) => !ids.includes(id));
    const incomplete = columns.filter((column) => present?.complete.includes(nameColumn(column)) !== true).length;
    return {
      sealed: currentId !== undefined,
      keyId: currentId ?? null,
      olderKeys: known.length - (present ? 1 : 0),
      missingKeys: unknown.length + (currentId !== undefined && !present ? 1 : 0),
      columnsLeft: currentId === undefined ? 0 : incomplete,
    };
  });
