import type { NamedCondition } from "#platform/process/condition.ts";

const runbook = "docs/operations.md#alerts";

/** The rules fire at once (`for: 0m`), since the server has already applied each condition's minimum duration. */
export function writeAlertRules(conditions: readonly NamedCondition[]): string {
  const rules = conditions.map(
    ({ id, title, severity, remedy }) => `      - alert: Quintet${toCamel(id)}
        expr: max(quintet_alerts{condition="${id}"}) > 0
        for: 0m
        labels: { severity: ${severity} }
        annotations:
          summary: ${JSON.stringify(title.en)}
          description: ${JSON.stringify(remedy.en)}
          runbook_url: ${runbook}
`,
  );
  const head = "# Written by `npm run generate` out of the list of conditions.\n";
  return `${head}groups:\n  - name: quintet-conditions\n    rules:\n${rules.join("")}`;
}

const toCamel = (id: string): string =>
  id.replaceAll(/(?:^|[.-])([a-z])/g, (_all, letter: string) => letter.toUpperCase());
