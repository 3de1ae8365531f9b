import { parseSync } from "oxc-parser";
import type { ServiceModule } from "#platform/process/service.ts";
import { modules, serviceNames } from "#quintet/app.ts";

export interface SourceFile {
  readonly path: string;
  readonly source: string;
}

export interface Violation {
  readonly path: string;
  readonly rule: string;
  readonly found: string;
}

interface ReadFile extends SourceFile {
  readonly imports: readonly string[];
  readonly runtimeImports: readonly string[];
  readonly hasDefaultExport: boolean;
  readonly sqlTags: number;
}

type Rule = (file: ReadFile) => string[];

// Matches a tagged template of a database handle, by the few variable names that this project gives to handles.
const sqlTag = /\b(?:db|tx|pool|sql|connection)(?:<[^`;]*>)?`/g;

export function readFile(file: SourceFile): ReadFile {
  const { module, errors } = parseSync(file.path, file.source);
  const [broken] = errors;
  if (broken) throw new Error(`${file.path} cannot be read: ${broken.message}`);
  const imports = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? "")),
    ...module.dynamicImports.map(({ moduleRequest }) =>
      file.source.slice(moduleRequest.start + 1, moduleRequest.end - 1),
    ),
  ].filter((name) => name !== "");
  const runtime = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const hasDefaultExport = module.staticExports.some(({ entries }) =>
    entries.some(({ exportName }) => exportName.kind === "Default"),
  );
  return {
    ...file,
    imports: [...new Set(imports)],
    runtimeImports: [...new Set(runtime)],
    hasDefaultExport,
    sqlTags: [...file.source.matchAll(sqlTag)].length,
  };
}

const isTest = (path: string): boolean => path.endsWith(".test.ts");
const serviceOf = (path: string): string | undefined => /^src\/services\/([^/]+)\//.exec(path)?.[1];
const roleOf = (path: string): string => /([^/]+)\.ts$/.exec(path)?.[1] ?? "";
const isSlice = (path: string): boolean =>
  serviceOf(path) !== undefined || path.startsWith("src/platform/accounts/operators/");

const toIdentifier = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

// Matches any mention of a service: its name in paths, code, SQL and prose, and its settings' prefix.
const names = serviceNames.flatMap((name) => [name.replaceAll("-", "[-_ ]"), toIdentifier(name)]);
const settings = modules.flatMap((module: ServiceModule) => Object.keys(module.settings?.shape ?? {}));
const prefixes = [...new Set(settings.map((name) => name.replace(/(?<=_).*/, "")))];
const serviceWord = new RegExp(`\\b(?:${names.join("|")})\\b|\\b(?:${prefixes.join("|")})\\w*`, "gi");

// Server and browser share these files, since both must compute the same results. The files have no imports, so that
// they bring nothing else into the page.
const computedByBoth: readonly string[] = [
  "platform/contract/accent.ts",
  "platform/contract/datum.ts",
  "platform/contract/language.ts",
];

const onlyWhere = (holds: boolean, found: () => string[]): string[] => (holds ? found() : []);

const rules: Readonly<Record<string, Rule>> = {
  "platform knows no service": ({ path, imports }) =>
    onlyWhere(path.startsWith("src/platform/") && !isTest(path), () =>
      imports.filter((name) => /services\//.test(name)),
    ),

  "platform says no word of a service": ({ path, source }) =>
    onlyWhere(path.startsWith("src/platform/") && !isTest(path), () => source.match(serviceWord) ?? []),

  "a service meets another at its index": ({ path, imports }) =>
    onlyWhere(serviceOf(path) !== undefined, () =>
      imports.filter((name) => {
        const [, service, file] = /^#(?:services|quintet\/services)\/([^/]+)\/(.*)$/.exec(name) ?? [];
        return service !== undefined && service !== serviceOf(path) && file !== "index.ts";
      }),
    ),

  "imports start with ./ or a door": ({ imports }) =>
    imports.filter((name) => name.startsWith("../") && !name.endsWith("/package.json")),

  "a contract imports schemas only": ({ path, imports }) =>
    onlyWhere(isSlice(path) && roleOf(path) === "contract", () =>
      imports.filter(
        (name) =>
          !/^(?:zod|\.\/.*contract\.ts|#services\/.*contract\.ts|#platform\/(?:contract\/(?:wire|endpoint|problem|rights|scope|datum|map-settings|proven-contract)|process\/config|(?:alerts|notices)\/contract|accounts\/(?:administrator-contract|second-factor\/contract|sign-on\/contract))\.ts)$/.test(
            name,
          ),
      ),
    ),

  "rules import the contract only": ({ path, imports }) =>
    onlyWhere(isSlice(path) && roleOf(path) === "rules", () =>
      imports.filter(
        (name) =>
          !/^(?:\.\/(?:.*-)?(?:contract|rules)\.ts|#platform\/(?:contract\/(?:problem|rights|times)|process\/config|accounts\/account-store)\.ts)$/.test(
            name,
          ),
      ),
    ),

  "a store knows no HTTP and no routes": ({ path, imports }) =>
    onlyWhere(isSlice(path) && /(?:^|-)store$/.test(roleOf(path)), () =>
      imports.filter((name) => /fastify|platform\/http|\/routes\.ts|(?<!#platform\/database)\/index\.ts/.test(name)),
    ),

  "contract, rules and routes hold no SQL": ({ path, sqlTags }) =>
    onlyWhere(isSlice(path) && /(?:^|-)(?:contract|rules|routes)$/.test(roleOf(path)) && sqlTags > 0, () => [
      `${sqlTags} statements`,
    ]),

  "no SQL across schemas": ({ path, source }) => {
    const own = serviceOf(path)?.replaceAll("-", "_");
    const schemas = serviceNames.map((name) => name.replaceAll("-", "_"));
    return onlyWhere(own !== undefined, () =>
      schemas.filter(
        (schema) => schema !== own && new RegExp(`(?:from|join|into|update|table) ${schema}\\.`).test(source),
      ),
    );
  },

  "only the process opens a pool": ({ path, imports, source }) =>
    onlyWhere(
      path.startsWith("src/") &&
        !/^src\/(?:(?:open-database|upkeep)\.ts|platform\/database\/)/.test(path) &&
        !isTest(path),
      () => (imports.includes("#platform/database/index.ts") && /\bopenPool\(/.test(source) ? ["openPool"] : []),
    ),

  "the driver is spoken to in one place": ({ path, imports }) =>
    onlyWhere(path.startsWith("src/") && !path.startsWith("src/platform/database/"), () =>
      imports.filter((name) => /^(?:pg|pg-cursor|pg-copy-streams|postgres)$/.test(name)),
    ),

  "the web imports types of contracts only": ({ path, imports, runtimeImports }) =>
    onlyWhere(/^web\/(?:console|public|screen|shared)\//.test(path) && !isTest(path), () => [
      ...runtimeImports.filter(
        (name) =>
          /^(?:#platform|#services|#quintet|#test|node:|zod$)/.test(name) && !computedByBoth.includes(name.slice(1)),
      ),
      ...imports.filter((name) => name.startsWith("#services/") && !name.endsWith("/contract.ts")),
    ]),

  "what the web computes with imports nothing": ({ path, imports }) =>
    onlyWhere(computedByBoth.includes(path.slice("src/".length)), () => [...imports]),

  "a page imports no other service's pages": ({ path, imports }) => {
    const own = /^web\/console\/src\/pages\/([^/]+)\//.exec(path)?.[1];
    return onlyWhere(own !== undefined && own !== "home", () =>
      imports.filter((name) => name.startsWith("#console/pages/") && !name.startsWith(`#console/pages/${own}/`)),
    );
  },

  // Ant Design's table has no card layout for phones. The exempted files do not list records: they show a figure's
  // components, a comparison of two months, and the items of one sum.
  "a page's lists are records": ({ path, source }) =>
    onlyWhere(
      path.startsWith("web/console/src/pages/") &&
        !/(?:figure-table|comparison-table|payable-drawer)\.tsx$/.test(path) &&
        /import \{[^}]*\bTable\b[^}]*\} from "antd"/.test(source),
      () => ["Table"],
    ),

  // `late` replaces React's lazy: if a chunk fails to load, lazy throws, which removes the whole page, and the browser
  // caches the failure.
  "code comes late by one door": ({ path, source }) =>
    onlyWhere(path.startsWith("web/console/src/") && /import \{[^}]*\blazy\b[^}]*\} from "react"/.test(source), () => [
      "lazy",
    ]),

  "scripts import nothing of the tests": ({ path, imports }) =>
    onlyWhere(path.startsWith("scripts/"), () => imports.filter((name) => /^#test\/|(?:^|\/)test\//.test(name))),

  "the demonstration is loaded late, by the command line alone": ({ path, imports, runtimeImports }) =>
    onlyWhere(path.startsWith("src/") && !isTest(path), () =>
      (path === "src/main.ts" ? runtimeImports : imports).filter((name) => name.startsWith("#demo/")),
    ),

  "no default exports": ({ path, hasDefaultExport }) =>
    onlyWhere(path.startsWith("src/") && hasDefaultExport, () => ["default export"]),

  "names say what is inside": ({ path }) =>
    onlyWhere(/(?:^|\/)(?:utils?|helpers?|common|misc|manager)(?:\/|\.ts$)/i.test(path), () => [path]),
};

/** @throws when a file cannot be parsed, since unread files must not pass the check */
export function findViolations(files: readonly SourceFile[]): Violation[] {
  return files
    .map(readFile)
    .flatMap((file) =>
      Object.entries(rules).flatMap(([rule, check]) => check(file).map((found) => ({ path: file.path, rule, found }))),
    );
}

export const ruleNames = Object.keys(rules);
