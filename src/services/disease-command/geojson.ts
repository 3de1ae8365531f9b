import { isUtf8 } from "node:buffer";
import { explain } from "#platform/contract/problem.ts";
import { isStorable } from "#platform/contract/storable-text.ts";
import { convertPosition, type Datum } from "#platform/contract/datum.ts";
import type { CityMap, Feature, Geometry } from "./screen-contract.ts";

// A city map may come from any program, so only these fields of a feature are kept: its id, its name, its scalar
// properties, and its geometry with coordinates in degrees.

const mostFeatures = 5000;
const mostName = 255;
// The seventh decimal of a degree is about one centimetre.
const decimals = 7;

/**
 * @throws {Problem} badFile with the location of the fault; within a feature, the location starts with the feature's
 * name or index
 */
export function readCityMap(bytes: Uint8Array): CityMap {
  const read = parseText(bytes);
  if (!isObject(read) || read["type"] !== "FeatureCollection")
    throw explain(
      "badFile",
      '应为 GeoJSON 的 FeatureCollection（"type": "FeatureCollection"）',
      'must be a GeoJSON FeatureCollection ("type": "FeatureCollection")',
    );
  const { features } = read;
  if (!Array.isArray(features)) throw explain("badFile", "features: 应为数组", "features: must be an array");
  if (features.length === 0) throw explain("badFile", "features: 不能为空", "features: must not be empty");
  if (features.length > mostFeatures)
    throw explain("badFile", `features: 最多${mostFeatures}个要素`, `features: at most ${mostFeatures} features`);
  const known = new Map<string, number>();
  return {
    type: "FeatureCollection",
    features: features.map((feature: unknown, index) => readFeature(feature, index, known)),
  };
}

export function convertMap(map: CityMap, from: Datum, to: Datum): CityMap {
  if (from === to) return map;
  const move = (position: Pair): Pair => {
    const [longitude, latitude] = convertPosition(position, from, to);
    return [Number(longitude.toFixed(decimals)), Number(latitude.toFixed(decimals))];
  };
  const features = map.features.map((feature) => ({ ...feature, geometry: moveGeometry(feature.geometry, move) }));
  return { ...map, features };
}

type Pair = [number, number];

function moveGeometry(geometry: Geometry, move: (position: Pair) => Pair): Geometry {
  const moveRings = (rings: Pair[][]) => rings.map((ring) => ring.map(move));
  if (geometry.type === "Point") return { ...geometry, coordinates: move(geometry.coordinates) };
  if (geometry.type === "MultiPoint") return { ...geometry, coordinates: geometry.coordinates.map(move) };
  if (geometry.type === "Polygon") return { ...geometry, coordinates: moveRings(geometry.coordinates) };
  return { ...geometry, coordinates: geometry.coordinates.map(moveRings) };
}

function parseText(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw explain("badFile", "文件应为 UTF-8 编码的文本", "the file must be text encoded in UTF-8");
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    throw explain("badFile", "文件不是有效的 JSON", "the file is not valid JSON");
  }
}

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** @param known the names of the earlier features with their indices, to which the name of `feature` is added */
function readFeature(feature: unknown, index: number, known: Map<string, number>): Feature {
  const at = `features[${index}]`;
  if (!isObject(feature) || feature["type"] !== "Feature")
    throw explain("badFile", `${at}: 应为 Feature`, `${at}: must be a Feature`);
  const properties = isObject(feature["properties"]) ? feature["properties"] : {};
  const name = readName(properties["name"], at);
  const before = known.get(name);
  if (before !== undefined)
    throw explain(
      "badFile",
      `“${name}”: 名称重复（features[${before}] 与 ${at}）`,
      `“${name}”: duplicate name (features[${before}] and ${at})`,
    );
  known.set(name, index);
  const { id } = feature;
  return {
    type: "Feature",
    ...((typeof id === "string" || (typeof id === "number" && Number.isFinite(id))) && { id }),
    properties: { ...Object.fromEntries(Object.entries(properties).filter(isPlain)), name },
    geometry: readGeometry(feature["geometry"], `“${name}”`),
  };
}

function readName(name: unknown, at: string): string {
  if (typeof name !== "string" || name.trim() === "")
    throw explain("badFile", `${at}: 缺少名称 properties.name`, `${at}: properties.name (the name) is missing`);
  if (Array.from(name.slice(0, 2 * mostName + 1)).length > mostName)
    throw explain(
      "badFile",
      `${at}: 名称最多${mostName}个字符`,
      `${at}: the name must have at most ${mostName} characters`,
    );
  if (!isStorable(name))
    throw explain(
      "badFile",
      `${at}: 名称含有无法存储的字符`,
      `${at}: the name contains a character that cannot be stored`,
    );
  return name;
}

const isPlain = (entry: [string, unknown]): entry is [string, string | number | boolean | null] =>
  typeof entry[1] !== "object" || entry[1] === null;

type ReadCoordinates<T> = (value: unknown, at: string) => T;

function readGeometry(geometry: unknown, at: string): Geometry {
  if (!isObject(geometry)) throw explain("badFile", `${at}: 缺少 geometry`, `${at}: geometry is missing`);
  const { type, coordinates } = geometry;
  const place = `${at}: coordinates`;
  if (type === "Point") return { type, coordinates: readPosition(coordinates, place) };
  if (type === "MultiPoint") return { type, coordinates: readList(readPosition, 1)(coordinates, place) };
  if (type === "Polygon") return { type, coordinates: readPolygon(coordinates, place) };
  if (type === "MultiPolygon") return { type, coordinates: readList(readPolygon, 1)(coordinates, place) };
  throw explain(
    "badFile",
    `${at}: geometry 应为 Polygon、MultiPolygon、Point 或 MultiPoint`,
    `${at}: geometry must be a Polygon, MultiPolygon, Point or MultiPoint`,
  );
}

const readList =
  <T>(read: ReadCoordinates<T>, least: number): ReadCoordinates<T[]> =>
  (value, at) => {
    if (!Array.isArray(value) || value.length < least)
      throw explain(
        "badFile",
        `${at}: 应为至少${least}项的数组`,
        `${at}: must be an array with at least ${least} entries`,
      );
    return value.map((one: unknown, index) => read(one, `${at}[${index}]`));
  };

function readRing(value: unknown, at: string): Pair[] {
  const ring = readList(readPosition, 4)(value, at);
  const [first, last] = [ring[0], ring.at(-1)];
  if (first?.[0] !== last?.[0] || first?.[1] !== last?.[1])
    throw explain(
      "badFile",
      `${at}: 环未闭合，首尾应为同一点`,
      `${at}: the ring is not closed; its first and last positions must be the same`,
    );
  return ring;
}

const readPolygon = readList(readRing, 1);

function readPosition(value: unknown, at: string): Pair {
  const [longitude, latitude] = Array.isArray(value) ? (value as unknown[]) : [];
  if (!isWithin(longitude, 180) || !isWithin(latitude, 90))
    throw explain(
      "badFile",
      `${at}: 应为以度为单位的 [经度, 纬度]，在 ±180、±90 以内`,
      `${at}: must be [longitude, latitude] in degrees, within ±180 and ±90`,
    );
  return [longitude, latitude];
}

const isWithin = (value: unknown, most: number): value is number =>
  typeof value === "number" && Math.abs(value) <= most;
