import { describeApi } from "#platform/openapi/index.ts";
import { conditions, contracts } from "#quintet/app.ts";
import { writeAlertRules } from "./conditions.ts";
import { describeMaterials } from "./sbom.ts";
import { describeDimensions, describeOperations } from "./web-operations.ts";
import packageFile from "../package.json" with { type: "json" };

export interface Generated {
  readonly file: URL;
  readonly text: string;
}

const openapi = new URL("../openapi.json", import.meta.url);
const materials = new URL("../sbom.cdx.json", import.meta.url);
const rules = new URL("../deploy/prometheus/conditions.yml", import.meta.url);

export function listGenerated(): Generated[] {
  const api = describeApi(contracts, { title: "Quintet", version: packageFile.version, basePath: "" });
  return [
    ...contracts.map((contract) => ({
      file: new URL(`../web/shared/api/${contract.name}.ts`, import.meta.url),
      text: describeOperations(contract),
    })),
    { file: new URL("../web/shared/dimensions.ts", import.meta.url), text: describeDimensions(contracts) },
    { file: openapi, text: `${writeJson(api, 3)}\n` },
    { file: materials, text: describeMaterials() },
    { file: rules, text: writeAlertRules(conditions) },
  ];
}

/**
 * Breaks lines only down to `depth`, so that each operation and each component is one line and the file is half as
 * large.
 */
function writeJson(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}: ${writeJson(member, depth - 1)}`,
  );
  return `{\n${members.join(",\n")}\n}`;
}
