import * as z from "zod";
import { datums } from "#platform/contract/datum.ts";
import { requiredText } from "#platform/contract/wire.ts";
import { broadcastRecord, broadcastStatistics } from "./broadcast-contract.ts";
import { miniToilet, scenicSpot } from "./place-contract.ts";
import { listedPlan, monthSummary } from "./planning-contract.ts";
import { get, open, openOwn, own, post, read, recordOf, remove, save, token, update } from "./record-contract.ts";
import { consumptionCategory, detection, feverClinic } from "./statistics-contract.ts";
import { teamStatistics } from "./team-contract.ts";

const themeFields = {
  themeName: requiredText(),
  enable: z.enum(["1", "2"]).describe("1 enabled (all other themes are disabled), 2 disabled"),
};

export const theme = recordOf(themeFields);

export const themeEndpoints = {
  listThemes: read("/theme/list", open, "List themes, newest first", z.array(theme)),
  saveTheme: save("/theme/save", token, "Add a theme", themeFields, ["alreadyExists"]),
  updateTheme: update("/theme/update", token, "Change a theme", themeFields, ["alreadyExists"]),
  deleteThemes: remove("/theme/delete", token, "Delete themes"),
  findCurrentTheme: read(
    "/theme/currentItem",
    open,
    "Read the enabled theme; null if no theme is enabled",
    theme.nullable(),
  ),
};

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
    .describe("Unique name, and other scalar properties from the file"),
  geometry,
});

const cityMap = z.object({ type: z.literal("FeatureCollection"), features: z.array(feature) });

export type CityMap = z.output<typeof cityMap>;
export type Feature = z.output<typeof feature>;
export type Geometry = z.output<typeof geometry>;

export const mapEndpoints = {
  readCityMap: get("/map", {
    summary: "Read the city's map",
    ...open,
    // Phones ask again after a minute, with the ETag. Clients that subscribe to changes are notified of a new map
    // immediately.
    caching: "public, max-age=60",
    answer: { as: "document", mime: "application/geo+json", data: cityMap },
    problems: ["notFound"],
    own: true,
  }),
  saveCityMap: post("/map/save", {
    summary: "Replace the city's map with a GeoJSON FeatureCollection of named areas and points",
    ...own,
    upload: { limit: "upload", mostJsonMb: 8 },
    fields: z.object({
      datum: z.enum(datums).default("gcj02").describe("Datum of the file's coordinates"),
    }),
  }),
  findMapMismatches: read(
    "/map/mismatches",
    own,
    "List scenic spots without a map feature of exactly the same name, and map features without a scenic spot",
    z.object({
      spots: z.array(z.string()).describe("Scenic spots without a feature of the same name"),
      features: z.array(z.string()).describe("Features without a scenic spot of the same name"),
    }),
  ),
};

const listedMonthSummary = monthSummary.extend({
  content: z.null().describe("Always null here; the operation that reads one summary returns the content"),
});

/** Each key is the name of a module, which is the first segment of the module's paths after `prefix`. */
export const overview = z.object({
  broadcast: z.object({
    statistics: broadcastStatistics,
    records: z.array(broadcastRecord).describe("The newest 10"),
  }),
  consumptionCategoryStatistics: z.array(consumptionCategory),
  detectionStatistics: z.array(detection).describe("Records of the latest 30 dates with data, newest first"),
  emergencyTeam: teamStatistics,
  eventPlanning: z.array(listedPlan).describe("The first 20 plans from the current month on, earliest first"),
  eventPlanningMonthSummary: z.array(listedMonthSummary).describe("Summaries of the latest 12 months, without content"),
  feverClinicOfHospitalStatistics: z
    .array(feverClinic)
    .describe("Same data as `GET feverClinicOfHospitalStatistics/lastData`"),
  scenicSpotOverview: z.array(scenicSpot).describe("The newest 100"),
  theme: theme.nullable().describe("Same data as `GET theme/currentItem`"),
  toilet: z.array(miniToilet).describe("Same data as `GET toilet/list/mini`"),
});

export const moduleNames = Object.keys(overview.shape) as [keyof typeof overview.shape];
export type ModuleName = (typeof moduleNames)[number];

/** The map is not a module of the overview, since clients fetch it separately. */
export const changeNames = [...moduleNames, "map"] as const;
export type ChangeName = (typeof changeNames)[number];

export const overviewEndpoints = {
  readOverview: read(
    "/overview",
    openOwn,
    "Read all data shown on the big screen; each part is also available publicly by its own operation",
    overview,
  ),
  followChanges: get("/changes", {
    summary:
      "Stream the names of the overview's modules that change, and `map` for the map. Read the overview after opening the stream, so that no change is missed",
    ...open,
    answer: { as: "events", data: z.object({ module: z.enum(changeNames) }) },
    own: true,
  }),
};
