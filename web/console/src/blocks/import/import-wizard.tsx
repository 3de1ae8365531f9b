import { DownloadOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Button, Form, type FormInstance, Space } from "antd";
import { type ReactNode, useId, useState } from "react";
import { useMay } from "#console/session/session.ts";
import { MayNot } from "#console/blocks/buttons.tsx";
import { type Field, FormField } from "#console/blocks/fields.tsx";
import { formatBytes } from "#console/blocks/format.ts";
import { FileDrop, ImportFaults, ImportModal, useTemplate } from "#console/blocks/import/import-parts.tsx";
import { ProgressLine } from "#console/blocks/progress-line.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import { callWith } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";
import { place } from "#shared/place.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

interface ImportWizardProps<E extends Endpoint> {
  readonly title: string;
  readonly operation: Operation<E>;
  readonly given?: Omit<Given<E>, "file">;
  readonly template?: Operation;
  readonly fields?: readonly Field[];
  readonly initial?: Readonly<Record<string, unknown>>;
  readonly accept?: string;
  readonly startText?: string;
  readonly describe: (data: Data<E>) => ReactNode;
  /** With a preview, the server checks the file first, and the same file is imported once the user has confirmed. */
  readonly preview?: Preview<E>;
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

type Beside = Readonly<Record<string, unknown>>;

interface Preview<E extends Endpoint> {
  readonly fields: Beside;
  readonly describe: (data: Data<E>, beside: Beside) => ReactNode;
  readonly startText?: (data: Data<E>) => string;
}

interface Choosing {
  readonly at: "choose";
  readonly file?: File;
  readonly failure?: CallFailure;
  readonly checked?: boolean;
}

type Stage<D> =
  | Choosing
  | { readonly at: "send"; readonly file: File; readonly percent: number; readonly checks: boolean }
  | { readonly at: "checked"; readonly file: File; readonly beside: Beside; readonly data: D }
  | { readonly at: "done"; readonly data: D };

export function ImportWizard<E extends Endpoint>(props: ImportWizardProps<E>) {
  const { title, describe, preview, onClose } = props;
  const t = useTexts();
  const [form] = Form.useForm<Record<string, unknown>>();
  const { stage, go, run } = useStages(props);
  const isOffered = useMay()(props.operation);
  const start = async (file: File) => {
    const beside = await form.validateFields();
    if (!preview) return run(file, beside, false);
    const kept = await keep(file);
    if (kept) return run(kept, beside, true);
    return go({ at: "choose", failure: new CallFailure({ code: "file", message: t.fileChanged, status: 0 }) });
  };
  return (
    <ImportModal title={title} onClose={onClose}>
      {!isOffered && <MayNot />}
      {isOffered && stage.at === "choose" && (
        <ChooseStep
          {...props}
          form={form}
          stage={stage}
          onFile={(file) => go({ at: "choose", file })}
          onStart={(file) => void start(file).catch(() => undefined)}
        />
      )}
      {stage.at === "send" && (
        <div role="status">
          <FileLine file={stage.file} />
          <ProgressLine
            percent={stage.percent}
            label={stage.percent < 100 ? t.sending : stage.checks ? t.checking : t.working}
          />
        </div>
      )}
      {stage.at === "checked" && (
        <>
          <div role="status">
            <FileLine file={stage.file} />
            {preview?.describe(stage.data, stage.beside)}
          </div>
          <div className="q-wizard-foot">
            <Button onClick={() => go({ at: "choose", file: stage.file })}>{t.back}</Button>
            <Button type="primary" onClick={() => void run(stage.file, stage.beside, false)}>
              {preview?.startText?.(stage.data) ?? t.startImport}
            </Button>
          </div>
        </>
      )}
      {stage.at === "done" && (
        <div role="status">
          {describe(stage.data)}
          <div className="q-wizard-foot">
            <Button onClick={() => go({ at: "choose" })}>{t.another}</Button>
            <Button type="primary" onClick={onClose}>
              {t.done}
            </Button>
          </div>
        </div>
      )}
    </ImportModal>
  );
}

function useStages<E extends Endpoint>({ operation, given, preview }: ImportWizardProps<E>) {
  const queries = useQueryClient();
  const [stage, go] = useState<Stage<Data<E>>>({ at: "choose" });
  const run = async (file: File, beside: Beside, checks: boolean) => {
    const onProgress = (percent: number) => go({ at: "send", file, percent, checks });
    onProgress(0);
    try {
      const all = checks ? { ...beside, ...preview?.fields } : beside;
      const data = await callWith(operation, { ...given, fields: all, file } as never, { onProgress });
      go(checks ? { at: "checked", file, beside, data } : { at: "done", data });
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      go({ at: "choose", file, failure: error, checked: checks });
    } finally {
      if (!checks) void queries.invalidateQueries({ queryKey: [operation.service] });
    }
  };
  return { stage, go, run };
}

interface ChooseStepProps extends Pick<
  ImportWizardProps<Endpoint>,
  "template" | "fields" | "initial" | "accept" | "startText" | "children"
> {
  readonly operation: Pick<Operation, "upload" | "mostMb">;
  readonly preview?: unknown;
  readonly form: FormInstance<Record<string, unknown>>;
  readonly stage: Choosing;
  readonly onFile: (file: File) => void;
  readonly onStart: (file: File) => void;
}

function ChooseStep(props: ChooseStepProps) {
  const { operation, template, fields = [], accept = ".xlsx,.csv", children, form, stage, onFile, onStart } = props;
  const { file, failure, checked = false } = stage;
  const t = useTexts();
  const id = useId();
  const fetchTemplate = useTemplate();
  return (
    <>
      {children}
      {failure && <ImportFaults {...sayFailure(failure, checked, t)} rows={failure.rows} />}
      <Form name={id} form={form} layout="vertical" initialValues={props.initial ?? {}}>
        {fields.map((field) => (
          <FormField key={field.name} field={field} />
        ))}
      </Form>
      <FileDrop
        accept={accept}
        maxMb={operation.mostMb ?? (operation.upload === "workbook" ? place.maxWorkbookMb : place.maxUploadMb)}
        onFile={onFile}
      />
      <div className="q-wizard-foot">
        {template && (
          <Button type="link" icon={<DownloadOutlined aria-hidden />} onClick={() => fetchTemplate(template)}>
            {t.template}
          </Button>
        )}
        <Space>
          {file && <span>{t.chosen(file.name, formatBytes(file.size))}</span>}
          <Button type="primary" disabled={!file} onClick={() => file && onStart(file)}>
            {props.startText ?? (props.preview === undefined ? t.startImport : t.checkFile)}
          </Button>
        </Space>
      </div>
    </>
  );
}

function FileLine({ file }: { readonly file: File }) {
  const t = useTexts();
  return <p>{t.chosen(file.name, formatBytes(file.size))}</p>;
}

/** The file is read into memory, since it may change on the disk between the preview and the import. */
async function keep(file: File): Promise<File | undefined> {
  try {
    return new File([await file.arrayBuffer()], file.name, { type: file.type });
  } catch {
    return undefined;
  }
}

type WizardTexts = Pick<
  ReturnType<typeof useTexts>,
  "checkFailed" | "checkFailedAbout" | "importFailed" | "importFailedAbout"
>;

function sayFailure({ rows, message }: CallFailure, checked: boolean, t: WizardTexts) {
  if (rows.length === 0) return { title: message };
  return checked
    ? { title: t.checkFailed(rows.length), about: t.checkFailedAbout }
    : { title: t.importFailed, about: t.importFailedAbout };
}
