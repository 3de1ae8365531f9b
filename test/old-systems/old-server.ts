import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";

export type OldList = readonly Readonly<Record<string, unknown>>[];

export interface OldServer {
  readonly base: string;
  readonly lists: Map<string, OldList>;
  /**
   * The answers to reads of a single record, by path. For a path without an entry, the item of the list is the answer.
   */
  readonly singles: Map<string, unknown>;
}

/** @param page the paging parameter of paginated lists @param plain the paths that answer with an array */
export async function startOldServer(
  {
    token,
    page: pageName,
    plain = [],
  }: { readonly token: string; readonly page: string; readonly plain?: readonly string[] },
  lists: ReadonlyMap<string, OldList>,
): Promise<OldServer> {
  const known = new Map(lists);
  const singles = new Map<string, unknown>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://old");
    const list = known.get(pathname) ?? [];
    const [, folder, id] = /^(.*)\/info\/(?:id\/)?(\d+)$/.exec(pathname) ?? [];
    const listed = known.get(`${folder}/list`)?.find((item) => String(item["id"]) === id);
    const single = singles.get(pathname) ?? listed;
    const [at, size] = [Number(searchParams.get(pageName) ?? 1), Number(searchParams.get("pageSize") ?? 10)];
    const isKnown = request.headers["admin_token"] === token;
    const paged = { totalCount: list.length, pageSize: size, totalPage: Math.ceil(list.length / size), currPage: at };
    const page = { ...paged, list: list.slice((at - 1) * size, at * size) };
    const data = id === undefined ? (plain.includes(pathname) ? list : page) : single;
    const body = isKnown
      ? { success: true, message: "成功", code: "0", data }
      : { success: false, message: "token无效", code: "10006", data: null };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, lists: known, singles };
}
