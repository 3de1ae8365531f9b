import type { Db } from "#platform/database/index.ts";

export const listBooks = (db: Db) =>
  db<{ id: number; title: string; reader: string | null }[]>`
    select id, title, reader from library.book order by id`;

export async function insertBook(db: Db, title: string): Promise<number> {
  const [row] = await db<{ id: number }[]>`insert into library.book (title) values (${title}) returning id`;
  return row?.id ?? 0;
}

export async function lendBook(db: Db, id: number, reader: string): Promise<boolean> {
  const rows = await db`update library.book set reader = ${reader} where id = ${id} and reader is null returning 1`;
  return rows.length === 1;
}
