// Writes the files that follow from the code: openapi.json, the rules of alerts, the console's operations, and the
// bill of materials.
import { writeFile } from "node:fs/promises";
import { listGenerated } from "./generated.ts";

for (const { file, text } of listGenerated()) await writeFile(file, text);
