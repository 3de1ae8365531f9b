import * as z from "zod";
import { oneOf, outsideAddress, secretOf, wholeNumber } from "#platform/contract/setting-types.ts";

// Names and meanings are OpenTelemetry's, so that whoever runs a collector knows them already.

/** `name=value` pairs with commas between, values percent-encoded, as OpenTelemetry writes headers and attributes. */
export function readPairs(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^\s*([^\s=]+)\s*=(.*)$/.exec(pair) ?? [];
      if (name === undefined || value === undefined) throw new Error("a pair is no name=value");
      return [name, decodeURIComponent(value.trim())];
    }),
  );
}

const isHeaderList = (text: string): boolean =>
  Object.entries(readPairs(text)).every(
    ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value),
  );

const pairs = "name=value pairs separated by commas, values percent-encoded";

const isPairs = (text: string): boolean => {
  try {
    readPairs(text);
    return true;
  } catch {
    return false;
  }
};

const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** The settings of traces, to be spread into the platform's. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: outsideAddress
    .transform((text) => text.replace(/\/+$/, ""))
    .optional()
    .describe(
      "Address of an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; /v1/traces is added. Left out, no traces are taken",
    ),
  OTEL_EXPORTER_OTLP_HEADERS: secretOf(
    isHeaderList,
    pairs,
    "Headers that the collector asks for, as name=value separated by commas, values percent-encoded",
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf(["http/json"], "http/json").describe("How the collector is spoken to"),
  OTEL_EXPORTER_OTLP_TIMEOUT: wholeNumber(100, 60_000, 10_000).describe(
    "How long the collector may take for a batch, tries included, in milliseconds; nobody waits for it but the batch",
  ),
  OTEL_SERVICE_NAME: z.string().min(1).max(255).default("quintet").describe("Name of this service in traces"),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .default("")
    .refine(isPairs, { error: `must be ${pairs}` })
    .describe("What else traces say of this process, as name=value separated by commas"),
  OTEL_TRACES_SAMPLER: oneOf(samplers, "parentbased_always_on").describe(
    "Which traces are taken: parentbased_… obeys a trusted proxy's choice, traceidratio takes a share of OTEL_TRACES_SAMPLER_ARG",
  ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number("must be a number from 0 to 1")
    .min(0, { error: "must be a number from 0 to 1" })
    .max(1, { error: "must be a number from 0 to 1" })
    .default(1)
    .describe("Share of the traces that is taken, from 0 to 1"),
};

export type TracingSettings = z.output<z.ZodObject<typeof tracingSettings>>;
