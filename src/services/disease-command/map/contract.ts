import * as z from "zod";
import { datums } from "#platform/contract/datum.ts";
import { endpoint } from "#platform/contract/endpoint.ts";
import { open, own, prefix, written } from "#services/disease-command/record-contract.ts";

const position = z.tuple([z.number(), z.number()]).describe("longitude, latitude, in MAP_DATUM");
const ring = z.array(position).min(4);

const geometry = z.union([
  z.object({ type: z.literal("Point"), coordinates: position }),
  z.object({ type: z.literal("MultiPoint"), coordinates: z.array(position) }),
  z.object({ type: z.literal("Polygon"), coordinates: z.array(ring) }),
  z.object({ type: z.literal("MultiPolygon"), coordinates: z.array(z.array(ring)) }),
]);

const feature = z.object({
  type: z.literal("Feature"),
  id: z.union([z.string(), z.number()]).optional(),
  properties: z
    .object({ name: z.string() })
    .catchall(z.union([z.string(), z.number(), z.boolean(), z.null()]))
    .describe("The name, which no other feature has, and what else of the file's is no object"),
  geometry,
});

const cityMap = z.object({ type: z.literal("FeatureCollection"), features: z.array(feature) });

export type CityMap = z.output<typeof cityMap>;
export type Feature = z.output<typeof feature>;
export type Geometry = z.output<typeof geometry>;

const at = `${prefix}/map`;

export const mapEndpoints = {
  readCityMap: endpoint({
    method: "GET",
    url: at,
    summary: "The city's map as it was saved last",
    ...open,
    // Phones ask once a minute at most, and by its ETag whether it is another; who follows the changes is told at once.
    caching: "public, max-age=60",
    answer: { as: "document", mime: "application/geo+json", data: cityMap },
    problems: ["notFound"],
    own: true,
  }),
  saveCityMap: endpoint({
    method: "POST",
    url: `${at}/save`,
    summary: "Put a city's map in the place of the last: a GeoJSON FeatureCollection of areas and points with names",
    ...own,
    upload: { limit: "upload", mostJsonMb: 8 },
    fields: z.object({
      datum: z.enum(datums).default("gcj02").describe("What the file's coordinates are measured against"),
    }),
    answer: written,
  }),
  findMapMismatches: endpoint({
    method: "GET",
    url: `${at}/mismatches`,
    summary: "Names that stand on one side only: a scenic spot is found on the map by its very name",
    ...own,
    answer: {
      as: "envelope",
      data: z.object({
        spots: z.array(z.string()).describe("Scenic spots that no feature of the map is named after"),
        features: z.array(z.string()).describe("Features that no scenic spot is named after"),
      }),
    },
  }),
};
