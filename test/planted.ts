import { cp, symlink } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Copies the server's files, so that a test can change the copy. Returns the path of the copied src/main.ts. */
export async function copyProject(folder: string): Promise<string> {
  for (const part of ["src", "migrations", "package.json"])
    await cp(path.join(root, part), path.join(folder, part), {
      recursive: true,
      filter: (file) => !file.endsWith(".test.ts"),
    });
  await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"), "junction");
  return path.join(folder, "src", "main.ts");
}
