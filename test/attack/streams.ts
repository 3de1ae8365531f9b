import { once } from "node:events";
import http from "node:http";
import type { ServiceContract } from "#platform/contract/endpoint.ts";
import { filledMonths } from "./fill.ts";

/** An operation whose answer is streamed and so lasts as long as its client reads. */
export interface StreamedOperation {
  readonly name: string;
  readonly service: ServiceContract["name"];
  readonly path: string;
  readonly isEndless: boolean;
}

const queries: Readonly<Record<string, string>> = {
  "attendance/download": `month=${filledMonths.month}`,
  "attendance/downloadDepartments": `month=${filledMonths.month}`,
  "attendance/compare": new URLSearchParams(filledMonths).toString(),
};

export const listStreamed = (contracts: readonly ServiceContract[]): StreamedOperation[] =>
  contracts.flatMap(({ name: service, endpoints }) =>
    Object.entries(endpoints).flatMap(([name, { answer, url }]) => {
      const isEndless = answer.as === "events";
      if (!isEndless && !("streamed" in answer && answer.streamed)) return [];
      const key = `${service}/${name}`;
      return [{ name: key, service, path: `${url.replace(":id", "1")}?${queries[key] ?? ""}`, isEndless }];
    }),
  );

export interface Unread {
  readonly status: number;
  hangUp(): void;
}

export async function askWithoutReading(url: string, headers: Readonly<Record<string, string>>): Promise<Unread> {
  const request = http.get(url, { headers, agent: false });
  request.on("error", () => undefined);
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  response.on("error", () => undefined);
  return { status: response.statusCode ?? 0, hangUp: () => void request.destroy() };
}
