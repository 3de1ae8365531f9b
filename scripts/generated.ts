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

/** The committed generated files with their expected content. */
export function listGenerated(): Generated[] {
  const api = describeApi(contracts, { title: "Quintet", version: packageFile.version, basePath: "" });
  return [
    ...contracts.map((contract) => ({
      file: new URL(`../web/shared/api/${contract.name}.ts`, import.meta.url),
      text: describeOperations(contract),
    })),
    { file: new URL("../web/shared/dimensions.ts", import.meta.url), text: describeDimensions(contracts) },
    { file: openapi, text: `${JSON.stringify(api, null, 1)}\n` },
    { file: materials, text: describeMaterials() },
    { file: rules, text: writeAlertRules(conditions) },
  ];
}
