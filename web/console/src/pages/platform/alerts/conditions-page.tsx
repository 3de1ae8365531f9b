import { useState } from "react";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { RowAction } from "#console/blocks/buttons.tsx";
import { Status } from "#console/blocks/status.tsx";
import { useChange } from "#console/call/use-call.ts";
import { texts } from "#console/pages/platform/alerts/texts.ts";
import { useServiceNames } from "#console/sections.ts";
import { platform } from "#shared/api/platform.ts";
import type { RecordOf } from "#shared/call/operation.ts";
import { useLanguage, useTexts } from "#shared/language/language.ts";

type Condition = RecordOf<typeof platform.listAlertConditions>;

/** What is looked for, and from when on it is an alert. */
export function ConditionsPage() {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const [editing, setEditing] = useState<Condition>();
  return (
    <>
      <ListPage
        title={t.conditions}
        about={t.conditionsAbout}
        name="platform/alert-conditions"
        operation={platform.listAlertConditions}
        columns={useColumns(setEditing)}
        rowName={({ title }) => title[language]}
        empty={{ title: t.noAlerts }}
      />
      {editing && <ConditionForm condition={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}

function useColumns(edit: (condition: Condition) => void): Column<Condition>[] {
  const t = useTexts(texts);
  const nameService = useServiceNames();
  const [language] = useLanguage();
  return [
    { field: "title", title: t.condition, width: 180, wraps: true, render: ({ title }) => title[language] },
    { field: "service", title: t.service, width: 120, render: ({ service }) => nameService(service) },
    { field: "remedy", title: t.remedy, width: 300, wraps: true, render: ({ remedy }) => remedy[language] },
    {
      field: "threshold",
      title: t.threshold,
      width: 150,
      render: ({ threshold }) => threshold && `${threshold.value} ${threshold.unit[language]}`,
    },
    { field: "severity", title: t.severity, width: 120, render: ({ severity }) => t.severities[severity] },
    { field: "open", title: t.open, width: 80, align: "right" },
    {
      field: "enabled",
      title: t.state,
      width: 100,
      render: ({ enabled }) => (
        <Status tone={enabled ? "success" : "default"}>{t.enabledStates[enabled ? "on" : "off"]}</Status>
      ),
    },
    actionColumn(t.actions, 80, (condition) => (
      <RowAction
        needs={platform.updateAlertCondition}
        label={t.editCondition(condition.title[language])}
        onClick={() => edit(condition)}
      >
        {t.edit}
      </RowAction>
    )),
  ];
}

interface Given {
  readonly enabled: boolean;
  readonly threshold?: number;
}

function ConditionForm({ condition, onClose }: { readonly condition: Condition; readonly onClose: () => void }) {
  const t = useTexts(texts);
  const [language] = useLanguage();
  const update = useChange(platform.updateAlertCondition, { done: t.saved, quiet: true });
  const { id, title, remedy, enabled, threshold } = condition;
  const choice: Field[] = threshold
    ? [
        {
          kind: "number",
          name: "threshold",
          label: t.threshold,
          required: true,
          min: threshold.least,
          max: threshold.most,
          precision: 0,
          unit: threshold.unit[language],
          help: t.standard(threshold.standard, threshold.unit[language]),
        },
      ]
    : [];
  return (
    <FormDrawer<Given>
      title={t.editCondition(title[language])}
      needs={platform.updateAlertCondition}
      fields={[{ kind: "switch", name: "enabled", label: t.enabled, off: false, on: true }, ...choice]}
      initial={{ enabled, ...(threshold && { threshold: threshold.value }) }}
      onSave={(given) => update.mutateAsync({ body: { id, ...given } })}
      onClose={onClose}
    >
      <p className="q-soft">{remedy[language]}</p>
    </FormDrawer>
  );
}
