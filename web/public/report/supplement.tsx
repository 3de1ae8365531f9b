import { type ReactNode, useCallback, useLayoutEffect, useState } from "react";
import type { Draft } from "#public/report/draft.ts";
import { asked, type FieldName, findFault, noValues, toEntries, toTime, type Values } from "#public/report/fields.ts";
import { Files } from "#public/report/files.tsx";
import { AskedField } from "#public/report/steps.tsx";
import { type ReportTexts, useTexts } from "#public/report/texts.ts";
import { useUploads } from "#public/report/uploads.ts";
import { findHindrance } from "#public/report/use-filling.ts";
import { Failed, Waiting } from "#public/blocks/states.tsx";
import { openKept } from "#public/blocks/kept.ts";
import { useSending } from "#public/blocks/use-sending.ts";
import { reporting } from "#shared/api/reporting.ts";
import { callWith } from "#shared/call/exchange.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useReading } from "#shared/call/use-reading.ts";

type Given = DataOf<typeof reporting.readSupplement>;

interface SupplementProps {
  readonly receipt: string;
  readonly done: () => void;
}

export function Supplement({ receipt, done }: SupplementProps): ReactNode {
  const { data, failure, retry } = useReading(receipt, (signal) =>
    callWith(reporting.readSupplement, { params: { receipt } }, { signal }),
  );
  if (failure) return <Failed failure={failure} retry={retry} />;
  return data ? <Form receipt={receipt} given={data} done={done} /> : <Waiting />;
}

const fields = [...asked.submitter.filter(({ name }) => name === "company"), ...asked.project, ...asked.details];

function Form({ receipt, given, done }: SupplementProps & { readonly given: Given }): ReactNode {
  const t = useTexts();
  const [before] = useState(() => toValues(given));
  const [draft, setDraft] = useState(() => readDraft(receipt, given, t));
  const { values } = draft;
  useLayoutEffect(() => openDraft(receipt).set(draft), [receipt, draft]);
  const keepFiles = useCallback((files: Draft["files"]) => setDraft((last) => ({ ...last, files })), []);
  const [wasTried, setTried] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  const uploads = useUploads(draft.files, keepFiles);
  const { isSending, failure, send } = useSending();
  const faults = fields.map((field) => findFault(field, values, t));
  const submit = () => {
    setTried(true);
    if (faults.some((fault) => fault !== undefined)) return;
    const bFile = uploads.list.flatMap(({ state }) => (state.is === "done" ? [state.path] : []));
    const body = { ...toChanges(before, values), ...(isOther(bFile, given.bFile ?? []) && { bFile }) };
    const isSame = Object.keys(body).length === 0;
    const hindrance = isSame ? t.nothingChanged : findHindrance(uploads.list, t)?.message;
    setTrouble(hindrance);
    if (hindrance === undefined)
      send(async () => {
        await callWith(reporting.supplementReport, { params: { receipt }, body });
        openDraft(receipt).forget();
        done();
      });
  };
  const told = trouble ?? failure?.message;
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <h2>{t.supplement}</h2>
      {fields.map((field, place) => (
        <AskedField
          key={field.name}
          field={field}
          value={values[field.name]}
          fault={wasTried ? faults[place] : undefined}
          change={(text) => setDraft((last) => ({ ...last, values: { ...last.values, [field.name]: text } }))}
        />
      ))}
      <Files uploads={uploads} />
      {told !== undefined && (
        <div className="note" data-tone="bad" role="alert">
          <p>{told}</p>
        </div>
      )}
      <button className="button" data-kind="main" type="submit" disabled={isSending}>
        {isSending ? t.submitting : t.submit}
      </button>
    </form>
  );
}

interface SupplementDraft extends Pick<Draft, "values" | "files"> {
  /** The report that the draft changes, as text. */
  readonly of: string;
}

const openDraft = (receipt: string) => openKept<SupplementDraft>(`report.supplement.${receipt}`);

/** A draft of an earlier state of the report is not used, since it would undo later changes. */
function readDraft(receipt: string, given: Given, t: ReportTexts): SupplementDraft {
  const stored = given.bFile ?? [];
  const of = JSON.stringify(given);
  const fresh = stored.map((path, place) => ({ name: t.fileNumber(place + 1), path, atMs: Date.now() }));
  const kept = openDraft(receipt).get();
  if (kept?.of !== of) return { of, values: toValues(given), files: fresh };
  return { ...kept, files: kept.files.map((file) => fresh.find(({ path }) => path === file.path) ?? file) };
}

const isOther = (one: readonly string[], other: readonly string[]): boolean => one.join(" ") !== other.join(" ");

const toValues = ({ bProduct, bFile: _files, file: _file, tenderTime, ...texts }: Given): Values => ({
  ...noValues,
  ...(Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text ?? ""])) as Partial<Values>),
  bProduct: bProduct.join("、"),
  tenderTime: tenderTime.replace(" ", "T"),
});

const toChanges = (before: Values, after: Values): object =>
  Object.fromEntries(
    (Object.keys(after) as FieldName[])
      .filter((name) => after[name].trim() !== before[name])
      .map((name) => [name, toWire(name, after[name].trim())]),
  );

const toWire = (name: FieldName, text: string): string | string[] =>
  name === "bProduct" ? toEntries(text) : name === "tenderTime" ? toTime(text) : text;
