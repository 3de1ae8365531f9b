import * as z from "zod";
import { datums, type Position } from "./datum.ts";
import { oneOf } from "./setting-types.ts";

const center = /^\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*(?:,\s*(\d{1,2}(?:\.\d+)?)\s*)?$/;
const mostZoom = 19;

export const mapSettings = {
  MAP_TILES: z
    .string()
    .refine(isTileAddress, {
      error:
        "must be an http or https URL or a path starting with /, containing {z}, {x} and {y} in the path or query and no other braces",
    })
    .optional()
    .describe(
      "Address of map tiles, such as https://tiles.example.edu/{z}/{x}/{y}.png; if not set, maps have no tiles",
    ),
  MAP_ATTRIBUTION: z
    .string()
    .max(255, { error: "must have at most 255 characters" })
    .optional()
    .describe("Attribution shown on every map"),
  MAP_CENTER: z
    .string()
    .refine((text) => readCenter(text) !== undefined, {
      error: `must be longitude,latitude or longitude,latitude,zoom, within 180, 90 and ${mostZoom}, such as 114.3055,30.5928,11`,
    })
    .optional()
    .describe(
      "Initial centre of maps, as longitude,latitude,zoom or longitude,latitude. Without zoom, this centre is ignored on maps that show the city map's areas. If not set, maps start with these areas, the listed places or the whole country",
    ),
  MAP_DATUM: oneOf(datums, "gcj02").describe(
    "Datum of stored coordinates and tiles: gcj02 (Chinese maps) or wgs84 (GPS)",
  ),
};

type MapSettings = z.output<z.ZodObject<typeof mapSettings>>;

export const mapDescription = z.object({
  tiles: z.string().nullable().describe("Address template of the tiles, with {z}, {x} and {y}"),
  attribution: z.string().nullable().describe("Attribution"),
  center: z.tuple([z.number(), z.number()]).nullable().describe("longitude, latitude"),
  zoom: z.number().min(0).max(mostZoom).nullable(),
  datum: z.enum(datums).describe("Datum of stored coordinates and tiles"),
});

export function describeMap(settings: MapSettings): z.output<typeof mapDescription> {
  const begin = readCenter(settings.MAP_CENTER ?? "");
  return {
    tiles: settings.MAP_TILES ?? null,
    attribution: settings.MAP_ATTRIBUTION ?? null,
    center: begin ? [...begin.position] : null,
    zoom: begin?.zoom ?? null,
    datum: settings.MAP_DATUM,
  };
}

/** The host must not contain placeholders, because the Content-Security-Policy names it. */
function isTileAddress(text: string): boolean {
  const [, path] = /^(?:https?:\/\/[\w.:[\]-]+)?(\/(?!\/)[^\s\\#]*)$/i.exec(text) ?? [];
  if (path === undefined || !URL.canParse(text, "http://localhost")) return false;
  const braces = path.match(/\{[^{}]*\}|[{}]/g) ?? [];
  return [...braces].toSorted().join("") === "{x}{y}{z}";
}

function readCenter(text: string): { position: Position; zoom: number | undefined } | undefined {
  const [found, longitude, latitude, zoom] = center.exec(text) ?? [];
  const position = [Number(longitude), Number(latitude)] as const;
  if (found === undefined || Math.abs(position[0]) > 180 || Math.abs(position[1]) > 90 || Number(zoom ?? 0) > mostZoom)
    return undefined;
  return { position, zoom: zoom === undefined ? undefined : Number(zoom) };
}
