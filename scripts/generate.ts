import { writeFile } from "node:fs/promises";
import { listGenerated } from "./generated.ts";

for (const { file, text } of listGenerated()) await writeFile(file, text);
