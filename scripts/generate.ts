// Writes what follows from the code anew: openapi.json, the table of alerts in the operations guide, the
// console's operations, and the bill of materials.
import { writeFile } from "node:fs/promises";
import { listGenerated } from "./generated.ts";

for (const { file, text } of await listGenerated()) await writeFile(file, text);
