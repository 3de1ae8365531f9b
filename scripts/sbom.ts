import { readFileSync } from "node:fs";
import postgres from "./postgres-libraries.json" with { type: "json" };

// The SBOM (CycloneDX 1.6) lists the lock file's packages and the libraries in PostgreSQL's programs. It is the same on
// every machine, whereas `npm sbom` writes version 1.5 with a serial number and a timestamp.

export interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Packages by their folder, as in the lock file; "" is the project itself. */
export const locked = (
  JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  }
).packages;

const modules = "node_modules/";

export const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf(modules) + modules.length);

const refOf = (folder: string): string => {
  const { name = nameOf(folder), version = "" } = locked[folder] ?? {};
  return `${name}@${version}`;
};

const toPurl = (ref: string): string => `pkg:npm/${ref.replace(/^@/, "%40")}`;

const toHex = (integrity: string): string => Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex");

function findFolder(from: string, name: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf(`/${modules}`)))) {
    const folder = `${place === "" ? "" : `${place}/`}${modules}${name}`;
    if (folder in locked) return folder;
    if (place === "") return undefined;
  }
}

function listNeeded(folder: string): string[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = locked[folder] ?? {};
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies });
  return names.flatMap((name) => findFolder(folder, name) ?? []).map(refOf);
}

const toLicense = (license: string) => (license.includes(" ") ? { expression: license } : { license: { id: license } });

/**
 * Development dependencies are `excluded`: the server loads none of them, although the built pages contain parts of
 * some.
 */
const scopeOf = ({ dev, optional }: Locked): string => (dev ? "excluded" : optional ? "optional" : "required");

const describeLibraries = () =>
  [...new Map(postgres.libraries.map((library) => [library.name, library])).values()].map(
    ({ name, version, product }) => ({
      "bom-ref": `${postgres.package}/${name}@${version}`,
      type: "library",
      name,
      version,
      purl: `pkg:generic/${name}@${version}`,
      ...(product && { cpe: `cpe:2.3:a:${product}:${version}:*:*:*:*:*:*:*` }),
    }),
  );

function describeComponent(folder: string) {
  const entry = locked[folder] ?? {};
  const ref = refOf(folder);
  return {
    "bom-ref": ref,
    type: "library",
    name: entry.name ?? nameOf(folder),
    version: entry.version,
    scope: scopeOf(entry),
    hashes: [{ alg: "SHA-512", content: toHex(entry.integrity ?? "") }],
    licenses: [toLicense(entry.license ?? "NOASSERTION")],
    purl: toPurl(ref),
    ...(nameOf(folder) === postgres.package && { components: describeLibraries() }),
  };
}

const order = ["required", "optional", "excluded"];

/** A package installed in two folders is listed once, with the stronger of its two scopes. */
function listComponents(folders: readonly string[]) {
  const components = new Map<string, ReturnType<typeof describeComponent>>();
  for (const one of folders.map(describeComponent)) {
    const other = components.get(one["bom-ref"]);
    if (!other || order.indexOf(one.scope) < order.indexOf(other.scope)) components.set(one["bom-ref"], one);
  }
  return [...components.values()];
}

function listDependencies(folders: readonly string[]) {
  const needed = new Map<string, Set<string>>();
  for (const folder of folders)
    needed.set(refOf(folder), new Set([...(needed.get(refOf(folder)) ?? []), ...listNeeded(folder)]));
  return [...needed].map(([ref, on]) => ({ ref, ...(on.size > 0 && { dependsOn: [...on].toSorted() }) }));
}

export function describeMaterials(): string {
  const { license = "" } = locked[""] ?? {};
  const ref = refOf("");
  const folders = Object.keys(locked).filter((folder) => folder !== "");
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        "bom-ref": ref,
        type: "application",
        name: locked[""]?.name,
        version: locked[""]?.version,
        licenses: [toLicense(license)],
        purl: toPurl(ref),
      },
    },
    components: listComponents(folders),
    dependencies: listDependencies(["", ...folders]),
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}
