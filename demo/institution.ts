import { type Colour, drawPicture } from "./landscape.ts";
import type { DemoTools } from "./tools.ts";

const path = "/platform/institution";
const white: Colour = [255, 255, 255];
const blue: Colour = [29, 78, 160];
const red: Colour = [196, 30, 42];

export async function loadInstitution({ call, upload, say }: DemoTools): Promise<void> {
  const { name } = (await call("GET", path)) as { name: string };
  if (name !== "") return;
  const store = async (fileName: string, picture: Buffer): Promise<string> =>
    ((await upload(`${path}/picture`, fileName, picture)) as { imageName: string }).imageName;
  const [logo, seal] = [await store("logo.png", drawLogo()), await store("seal.png", drawSeal())];
  await call("PUT", path, { name: "示例大学", nameEn: "Example University", logo, seal });
  say("institution: 示例大学, with a logo, and a seal on receipts");
}

const logoSize = 128;

/** Draws a white hill on blue. */
const drawLogo = (): Buffer =>
  drawPicture([logoSize, logoSize], (x, y) => {
    const [across, down] = [x - logoSize / 2, y - logoSize / 2];
    return down > 24 || down < Math.abs(across) - 30 ? blue : white;
  });

const sealSize = 240;

/** Draws a red ring with a star, as on Chinese seals. */
const drawSeal = (): Buffer =>
  drawPicture([sealSize, sealSize], (x, y) => {
    const [across, down] = [x - sealSize / 2, y - sealSize / 2];
    const far = Math.hypot(across, down);
    const isRing = far < sealSize / 2 - 4 && far > sealSize / 2 - 14;
    return isRing || far < reachOfStar(Math.atan2(across, -down)) ? red : white;
  });

const [tip, notch] = [44, 17];
const fifth = (2 * Math.PI) / 5;

/** Returns how far a star of five points reaches from its centre in a direction, which is an angle from the top. */
function reachOfStar(direction: number): number {
  const angle = Math.abs((((direction % fifth) + fifth * 1.5) % fifth) - fifth / 2);
  const half = fifth / 2;
  return (tip * notch * Math.sin(half)) / (tip * Math.sin(angle) + notch * Math.sin(half - angle));
}
