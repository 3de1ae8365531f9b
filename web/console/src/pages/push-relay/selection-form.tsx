import { Alert, Button, Form, Input, Select } from "antd";
import { useState } from "react";
import { pushRelay } from "#shared/api/push-relay.ts";
import { Failure } from "#console/blocks/failure.tsx";
import type { Field } from "#console/blocks/fields.tsx";
import { Source, toShown } from "#console/pages/push-relay/source.tsx";
import type { Project } from "#console/pages/push-relay/project.tsx";
import { type RelayTexts, useTexts } from "#console/pages/push-relay/texts.ts";
import { useRead } from "#console/call/use-call.ts";
import { usePause } from "#console/call/use-pause.ts";
import { useMay } from "#console/session/session.ts";

type Selection = Partial<Pick<Project, "events" | "fields" | "when" | "form" | "decrypted" | "perSecond">>;
type EventName = NonNullable<Selection["events"]>[number];

interface Row {
  readonly name?: string | undefined;
  readonly values: readonly string[];
}

/** The form edits the API's maps as lists of rows. */
export interface SelectionGiven extends Omit<Selection, "fields" | "when"> {
  readonly fields: readonly Row[];
  readonly when: readonly Row[];
}

export const toGiven = ({
  events = [],
  fields = {},
  when = [],
  form = "json",
  decrypted = false,
  perSecond = 0,
}: Selection): SelectionGiven => ({
  events,
  fields: Object.entries(fields).map(([name, values]) => ({ name, values })),
  when: when.map((one) => ({ name: one.field, values: one.in.map(String) })),
  form,
  decrypted,
  perSecond,
});

export const noSelection = toGiven({});

const isWhole = ({ name = "", values }: Row): boolean => name.trim() !== "" && values.length > 0;

export const toSelection = (given: SelectionGiven): Selection => ({
  events: given.events ?? [],
  fields: Object.fromEntries(given.fields.filter(isWhole).map(({ name = "", values }) => [name, [...values]])),
  when: given.when.filter(isWhole).map(({ name = "", values }) => ({ field: name.trim(), in: [...values] })),
  form: given.form ?? "json",
  decrypted: given.decrypted,
  perSecond: given.perSecond ?? 0,
});

const listEvents = (t: RelayTexts) => Object.entries(t.events).map(([value, label]) => ({ value, label }));

export function useSelectionFields(projectId: number | undefined): Field[] {
  const t = useTexts();
  const may = useMay();
  const events = listEvents(t);
  const known = Object.entries(t.dataFields).map(([value, label]) => ({ value, label: `${value} ${label}` }));
  const check = (value: unknown) => ((value as readonly Row[]).every(isWhole) ? undefined : t.rowIncomplete);
  const checkFields = (value: unknown) => {
    const names = (value as readonly Row[]).map(({ name }) => name);
    return check(value) ?? (new Set(names).size < names.length ? t.rowTwice : undefined);
  };
  return [
    {
      kind: "select",
      name: "events",
      label: t.givenEvents,
      help: `${t.givenEventsHelp}${t.givenAbout}`,
      options: events,
      several: true,
      wide: true,
    },
    {
      kind: "own",
      name: "fields",
      label: t.givenFields,
      help: t.givenFieldsHelp,
      wide: true,
      check: checkFields,
      control: <Rows what={t.givenFields} names={events} values={known} />,
    },
    {
      kind: "own",
      name: "when",
      label: t.givenWhen,
      help: t.givenWhenHelp,
      wide: true,
      check,
      control: <Rows what={t.givenWhen} />,
    },
    {
      kind: "select",
      name: "form",
      label: t.form,
      options: Object.entries(t.forms).map(([value, label]) => ({ value, label })),
    },
    { kind: "switch", name: "decrypted", label: t.decrypted, help: t.decryptedHelp, off: false, on: true },
    { kind: "number", name: "perSecond", label: t.perSecond, help: t.perSecondHelp, min: 0, max: 10_000, precision: 0 },
    ...(projectId !== undefined && may(pushRelay.previewProject)
      ? ([{ kind: "own", name: "preview", label: t.preview, wide: true, control: <Preview id={projectId} /> }] as const)
      : []),
  ];
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface RowsProps {
  readonly what: string;
  readonly value?: readonly Row[];
  readonly onChange?: (rows: readonly Row[]) => void;
  readonly names?: readonly Choice[];
  readonly values?: readonly Choice[];
}

const noRows: readonly Row[] = [];

function Rows({ what, value = noRows, onChange, names, values }: RowsProps) {
  const t = useTexts();
  const change = (place: number, row: Row) => onChange?.(value.map((one, index) => (index === place ? row : one)));
  const valuesLabel = values ? t.rowFields : t.rowValues;
  return (
    <div className="q-push-rows">
      {value.map((row, place) => (
        // Rows have no identity except their index.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={place} className="q-push-row">
          {names ? (
            <Select
              aria-label={`${t.rowEvent} ${place + 1}`}
              placeholder={t.rowEvent}
              value={row.name ?? null}
              options={[...names]}
              onChange={(name: string) => change(place, { ...row, name })}
            />
          ) : (
            <Input
              aria-label={`${t.rowField} ${place + 1}`}
              placeholder={t.rowField}
              maxLength={255}
              value={row.name ?? ""}
              onChange={({ target }) => change(place, { ...row, name: target.value })}
            />
          )}
          <Select
            mode="tags"
            aria-label={`${valuesLabel} ${place + 1}`}
            placeholder={valuesLabel}
            {...(values ? { options: [...values], optionLabelProp: "value" } : { open: false, suffixIcon: null })}
            tokenSeparators={[",", "，", "\n"]}
            value={[...row.values]}
            onChange={(next: string[]) => change(place, { ...row, values: next })}
          />
          <Button
            aria-label={t.removeRow(what, place + 1)}
            onClick={() => onChange?.(value.filter((_one, index) => index !== place))}
          >
            {t.remove}
          </Button>
        </div>
      ))}
      <Button onClick={() => onChange?.([...value, { values: [] }])}>{t.addRow(what)}</Button>
    </div>
  );
}

function Preview({ id }: { readonly id: number }) {
  const t = useTexts();
  const form = Form.useFormInstance<SelectionGiven>();
  const given = Form.useWatch([], form) as SelectionGiven | undefined;
  const [event, setEvent] = useState<EventName>("updateUser");
  const typed = JSON.stringify(toSelection({ ...noSelection, ...given }));
  const selection = usePause(typed);
  const { data, error, refetch } = useRead(
    pushRelay.previewProject,
    { params: { id }, query: { event, selection } },
    { enabled: given !== undefined && selection === typed, keep: true },
  );
  return (
    <div className="q-push-preview" role="region" aria-label={t.preview}>
      <Select aria-label={t.rowEvent} value={event} options={listEvents(t)} onChange={setEvent} className="q-wide" />
      {error && <Failure failure={error} onRetry={refetch} />}
      {data && <p className="q-soft">{data.state === "given" ? t.previewAbout : t.previewStates[data.state]}</p>}
      {data && data.missing.length > 0 && (
        <Alert type="warning" showIcon title={t.previewMissing(data.missing.join(", "))} />
      )}
      {data && data.body !== null && <Source name={t.preview} text={`${data.contentType}\n\n${toShown(data.body)}`} />}
    </div>
  );
}
