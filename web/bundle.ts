import { globSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build, type InlineConfig } from "vite";

const web = fileURLToPath(new URL("./", import.meta.url));

export type Application = "console" | "pages";

const entries = globSync("{public/*,screen}/main.tsx", { cwd: web });

// The compressed size of a phone page without a map is limited to 150 KB. React would use 57 KB of that limit; Preact
// uses 9 KB and supports everything that the code shared with the console needs.
const preact = [
  { find: /^react\/jsx-runtime$/, replacement: "preact/jsx-runtime" },
  { find: /^react-dom\/client$/, replacement: "preact/compat/client" },
  { find: /^react(?:-dom)?$/, replacement: "preact/compat" },
];

// The code that every page of the console loads is bundled into two files, since fifty small files would be 40 KB
// larger after compression. The libraries are one of the files, so that they stay in the browser's cache after an
// update of the console. The entry is in neither file, since its own file name identifies the build.
const first = [
  { name: "libraries", tags: ["$initial" as const], test: /node_modules/ },
  { name: "console", tags: ["$initial" as const], test: /(?<!main\.tsx|\.html)$/ },
];

const own: Readonly<Record<Application, () => InlineConfig>> = {
  console: () => ({
    root: path.join(web, "console"),
    build: { rolldownOptions: { output: { codeSplitting: { groups: first } } } },
  }),
  pages: () => ({
    root: web,
    resolve: { alias: preact },
    build: { rollupOptions: { input: entries.map((entry) => path.join(web, entry)) } },
  }),
};

export async function bundle(application: Application, outDir: string): Promise<void> {
  const { build: further, ...rest } = own[application]();
  await build({
    ...rest,
    configFile: false,
    publicDir: false,
    logLevel: "warn",
    // The addresses are relative, since only the server knows the BASE_PATH below which it serves the page.
    base: "./",
    plugins: [react()],
    build: {
      ...further,
      outDir,
      emptyOutDir: true,
      manifest: true,
      target: "es2023",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 2000,
      reportCompressedSize: false,
    },
  });
  await compressAll(path.join(outDir, "assets"));
}

async function compressAll(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.(?:js|css|svg)$/.test(name));
  await Promise.all(names.map((name) => compress(path.join(folder, name))));
}

// Brotli compresses 1.5 MB in 0.1 s at quality 9 and in 2.5 s at quality 11, which would save only 5 %. `npm start`
// waits for the compression.
async function compress(file: string): Promise<void> {
  const body = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(body, { params }),
    promisify<Buffer, object, Buffer>(gzip)(body, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}
