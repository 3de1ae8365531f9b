// The city is fictitious: districts around a centre, an irregular coast, and a point for each scenic spot. Coordinates
// are [longitude, latitude].

type Position = readonly [longitude: number, latitude: number];

const middle: Position = [150.1, 25.1];
const farthest = 0.13;
const stepsPerTurn = 120;

function toCoast(turn: number): Position {
  const angle = 2 * Math.PI * turn;
  const reach =
    farthest * (0.86 + 0.08 * Math.sin(3 * angle) + 0.05 * Math.sin(7 * angle + 1) + 0.02 * Math.sin(17 * angle));
  return round(middle[0] + reach * Math.cos(angle), middle[1] + 0.92 * reach * Math.sin(angle));
}

const round = (longitude: number, latitude: number): Position => [
  Number(longitude.toFixed(6)),
  Number(latitude.toFixed(6)),
];

function drawDistrict(index: number, count: number): Position[] {
  const first = Math.round((index * stepsPerTurn) / count);
  const last = Math.round(((index + 1) * stepsPerTurn) / count);
  const coast = Array.from({ length: last - first + 1 }, (_, n) =>
    toCoast(((first + n) % stepsPerTurn) / stepsPerTurn),
  );
  return [middle, ...coast, middle];
}

function toPlace(turn: number, share: number): Position {
  const [longitude, latitude] = toCoast(turn);
  return round(middle[0] + share * (longitude - middle[0]), middle[1] + share * (latitude - middle[1]));
}

// Successive directions differ by the golden ratio of a full circle, so no two directions coincide.
const goldenTurn = 0.618034;

export const spread = (n: number, count: number): Position =>
  toPlace((n * goldenTurn) % 1, 0.95 * Math.sqrt((n + 0.5) / count));

const toFeature = (name: string, geometry: object) => ({ type: "Feature", properties: { name }, geometry });

export function drawCity(districts: readonly string[], spots: readonly string[]): Buffer {
  const areas = districts.map((name, n) =>
    toFeature(`${name}区`, { type: "Polygon", coordinates: [drawDistrict(n, districts.length)] }),
  );
  const points = spots.map((name, n) => {
    const at = toPlace((n + 0.5) / spots.length, n % 2 === 0 ? 0.45 : 0.75);
    return toFeature(name, { type: "Point", coordinates: at });
  });
  return Buffer.from(JSON.stringify({ type: "FeatureCollection", features: [...areas, ...points] }));
}
