import { crc32, deflateSync } from "node:zlib";

const width = 480;
const height = 300;
export type Colour = readonly [red: number, green: number, blue: number];

export const drawLandscape = (number: number): Buffer =>
  drawPicture([width, height], (x, y) => chooseColour(x, y, number));

/** Draws a PNG picture pixel by pixel. */
export function drawPicture(
  [width, height]: readonly [number, number],
  paint: (x: number, y: number) => Colour,
): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = 0;
    for (let x = 0; x < width; x++) for (const part of paint(x, y)) rows[at++] = part;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    toChunk("IHDR", head),
    toChunk("IDAT", deflateSync(rows)),
    toChunk("IEND", Buffer.alloc(0)),
  ]);
}

function chooseColour(x: number, y: number, number: number): Colour {
  const hill = 150 + 34 * Math.sin(x / 61 + number * 1.7) + 16 * Math.sin(x / 23 + number);
  const shade = Math.round((y / height) * 70);
  if (y > 220) return [40 + shade, 110 + shade, 150 + ((x + y * 3) % 24)];
  if (y > hill) return [60 + ((number * 13) % 50), 140 - shade + ((number * 7) % 40), 80];
  return [120 + shade * 2, 180 + shade, 235];
}

function toChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
