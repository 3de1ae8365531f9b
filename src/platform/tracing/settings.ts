import * as z from "zod";
import { outsideAddress, secretOf } from "#platform/contract/setting-types.ts";

/**
 * Reads header values, which are percent-encoded as in OpenTelemetry.
 * @throws {Error} for invalid input
 */
export function readHeaders(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name = "", given = ""] = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/.exec(pair) ?? [];
      const value = decodeURIComponent(given.trim());
      if (name === "" || !/^[\x20-\x7e]*$/.test(value)) throw new Error("invalid name=value pair");
      return [name, value];
    }),
  );
}

export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: outsideAddress
    .transform((text) => text.replace(/\/+$/, ""))
    .optional()
    .describe(
      "Address of the OpenTelemetry collector (OTLP as JSON over HTTP) without /v1/traces, such as http://127.0.0.1:4318; if not set, no traces are recorded",
    ),
  OTEL_EXPORTER_OTLP_HEADERS: secretOf(
    readHeaders,
    "name=value pairs separated by commas, values percent-encoded",
    "Headers sent to the collector, as name=value pairs separated by commas, with percent-encoded values",
  ),
  OTEL_SERVICE_NAME: z.string().min(1).max(255).default("quintet").describe("Service name in traces"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number("must be a number from 0 to 1")
    .min(0, { error: "must be a number from 0 to 1" })
    .max(1, { error: "must be a number from 0 to 1" })
    .default(1)
    .describe("Share of requests to trace, from 0 to 1; the decision of a trusted proxy takes precedence"),
};

export type TracingSettings = z.output<z.ZodObject<typeof tracingSettings>>;
