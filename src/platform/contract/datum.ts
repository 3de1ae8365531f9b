// Chinese maps use the datum GCJ-02, which differs from WGS 84, the datum of GPS, by a few hundred metres, depending on
// the position. Browsers load this file too, so it imports nothing.

export const datums = ["gcj02", "wgs84"] as const;
export type Datum = (typeof datums)[number];

/** Longitude and latitude are in degrees; as in GeoJSON, the longitude comes first. */
export type Position = readonly [longitude: number, latitude: number];

export function convertPosition(position: Position, from: Datum, to: Datum): Position {
  if (from === to) return position;
  return to === "gcj02" ? toGcj02(position) : toWgs84(position);
}

/**
 * This is the semi-major axis, in metres, of the Krasovsky 1940 ellipsoid; the next constant is its squared
 * eccentricity.
 */
const axis = 6_378_245;
const eccentricity = 0.006_693_421_622_965_943;

const wave = (amplitude: number, turns: number): number => amplitude * Math.sin(turns * Math.PI);

function toGcj02([longitude, latitude]: Position): Position {
  if (!(longitude > 72.004 && longitude < 137.8347 && latitude > 0.8293 && latitude < 55.8271))
    return [longitude, latitude];
  const [x, y] = [longitude - 105, latitude - 35];
  const radians = (latitude / 180) * Math.PI;
  const bulge = 1 - eccentricity * Math.sin(radians) ** 2;
  const metresOfLongitude = ((axis / Math.sqrt(bulge)) * Math.cos(radians) * Math.PI) / 180;
  const metresOfLatitude = (((axis * (1 - eccentricity)) / bulge ** 1.5) * Math.PI) / 180;
  const ripple = ((wave(20, 6 * x) + wave(20, 2 * x)) * 2) / 3;
  const eastSlope = 300 + x + 2 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * Math.sqrt(Math.abs(x));
  const eastWaves = ((wave(20, x) + wave(40, x / 3) + wave(150, x / 12) + wave(300, x / 30)) * 2) / 3;
  const northSlope = -100 + 2 * x + 3 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * Math.sqrt(Math.abs(x));
  const northWaves = ((wave(20, y) + wave(40, y / 3) + wave(160, y / 12) + wave(320, y / 30)) * 2) / 3;
  return [
    longitude + (eastSlope + ripple + eastWaves) / metresOfLongitude,
    latitude + (northSlope + ripple + northWaves) / metresOfLatitude,
  ];
}

// Each round reduces the error more than a hundredfold, so three of the four rounds already leave less than a
// millimetre.
const rounds = 4;

function toWgs84(position: Position): Position {
  let guess = position;
  for (let round = 0; round < rounds; round++) {
    const [longitude, latitude] = toGcj02(guess);
    guess = [guess[0] + position[0] - longitude, guess[1] + position[1] - latitude];
  }
  return guess;
}
