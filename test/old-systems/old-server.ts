import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import type { OldAnswers, Paged } from "./old-reads.ts";

export interface OldServer {
  readonly base: string;
  readonly answers: OldAnswers;
}

/** `page` is the name of the query parameter for the page number. */
export async function startOldServer(
  { token, page: pageName }: { readonly token: string; readonly page: string },
  given: OldAnswers,
): Promise<OldServer> {
  const answers = new Map(given);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://old");
    const [at, size] = [Number(searchParams.get(pageName) ?? 1), Number(searchParams.get("pageSize") ?? 10)];
    const paged: Paged = (list) => ({
      totalCount: list.length,
      pageSize: size,
      totalPage: Math.ceil(list.length / size),
      currPage: at,
      list: list.slice((at - 1) * size, at * size),
    });
    const card = request.headers["card_number"]?.toString();
    const data = answers.get(decodeURIComponent(pathname))?.(paged, card);
    const refuse = (message: string, code: string) => ({ success: false, message, code, data: null });
    const body =
      request.headers["admin_token"] !== token && card === undefined
        ? refuse("token无效", "10006")
        : data === undefined
          ? refuse("数据不存在", "10005")
          : { success: true, message: "成功", code: "0", data };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, answers };
}
