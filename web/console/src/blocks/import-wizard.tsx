import { DownloadOutlined } from "@ant-design/icons";
import { useQueryClient } from "@tanstack/react-query";
import { Alert, App, Button, Form, Modal, Progress, Space } from "antd";
import { type ReactNode, useId, useState } from "react";
import { type Field, FormField } from "#console/blocks/fields.tsx";
import { FileDrop } from "#console/blocks/file-drop.tsx";
import { formatBytes } from "#console/blocks/format.ts";
import { RowErrors } from "#console/blocks/row-errors.tsx";
import { texts } from "#console/blocks/texts.ts";
import { callWith, download } from "#console/call/call.ts";
import { CallFailure } from "#console/call/failure.ts";
import type { Data, Given, Operation } from "#console/call/operation.ts";
import { useTexts } from "#console/language/language.ts";
import { place } from "#console/place.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

interface ImportWizardProps<E extends Endpoint> {
  readonly title: string;
  /** The operation that takes the file. */
  readonly operation: Operation<E>;
  /** What else the operation takes: its path's parameters. */
  readonly given?: Omit<Given<E>, "file">;
  /** The operation whose workbook is to be filled in. */
  readonly template?: Operation;
  /** Form fields beside the file. */
  readonly fields?: readonly Field[];
  readonly accept?: string;
  /** What the operation answered, for people. */
  readonly describe: (data: Data<E>) => ReactNode;
  /** With it, the file is checked first and imported, unchanged, when the person has seen what would come of it. */
  readonly preview?: Preview<E>;
  /** Above the place for the file: what the sheet must hold. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

type Beside = Readonly<Record<string, unknown>>;

interface Preview<E extends Endpoint> {
  /** The form fields by which the operation only checks, beside those of the form. */
  readonly fields: Beside;
  /** What would come of it, for people; `beside` is what the form holds. */
  readonly describe: (data: Data<E>, beside: Beside) => ReactNode;
  /** On the button that then imports; left out: import. */
  readonly startText?: (data: Data<E>) => string;
}

type Stage<D> =
  | { readonly at: "choose"; readonly file?: File; readonly failure?: CallFailure; readonly checked?: boolean }
  | { readonly at: "send"; readonly file: File; readonly percent: number; readonly checks: boolean }
  | { readonly at: "checked"; readonly file: File; readonly beside: Beside; readonly data: D }
  | { readonly at: "done"; readonly data: D };

/** A workbook's way in: choose or drop it, watch it go, read what came of it or what is wrong in which row. */
export function ImportWizard<E extends Endpoint>(props: ImportWizardProps<E>) {
  const { title, operation, given, template, fields = [], accept = ".xlsx,.csv", describe, children, onClose } = props;
  const { preview } = props;
  const t = useTexts(texts);
  const { message } = App.useApp();
  const queries = useQueryClient();
  const id = useId();
  const [form] = Form.useForm<Record<string, unknown>>();
  const [stage, setStage] = useState<Stage<Data<E>>>({ at: "choose" });
  const run = async (file: File, beside: Beside, checks: boolean) => {
    setStage({ at: "send", file, percent: 0, checks });
    try {
      const onProgress = (sent: number, total: number) =>
        setStage({ at: "send", file, percent: Math.floor((sent / total) * 100), checks });
      const all = checks ? { ...beside, ...preview?.fields } : beside;
      const data = await callWith(operation, { ...given, fields: all, file } as never, { onProgress });
      setStage(checks ? { at: "checked", file, beside, data } : { at: "done", data });
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setStage({ at: "choose", file, failure: error, checked: checks });
    } finally {
      if (!checks) void queries.invalidateQueries({ queryKey: [operation.service] });
    }
  };
  const start = async (file: File) => {
    const beside = await form.validateFields();
    if (!preview) return run(file, beside, false);
    const kept = await keep(file);
    if (kept) return run(kept, beside, true);
    return setStage({ at: "choose", failure: new CallFailure({ code: "file", message: t.fileChanged, status: 0 }) });
  };
  const fetchTemplate = (from: Operation) =>
    download(from, {}).catch((error: CallFailure) => void message.error(error.message));
  return (
    <Modal open title={title} width={640} mask={{ closable: false }} onCancel={onClose} footer={null}>
      {stage.at === "choose" && (
        <>
          {children}
          {stage.failure && (
            <Alert
              type="error"
              showIcon
              className="q-form-failure"
              {...sayFailure(stage.failure, stage.checked === true, t)}
            />
          )}
          {stage.failure && stage.failure.rows.length > 0 && <RowErrors rows={stage.failure.rows} />}
          <Form name={id} form={form} layout="vertical">
            {fields.map((field) => (
              <FormField key={field.name} field={field} />
            ))}
          </Form>
          <FileDrop
            accept={accept}
            maxMb={operation.upload === "workbook" ? place.maxWorkbookMb : place.maxUploadMb}
            onFile={(file) => setStage({ at: "choose", file })}
          />
          <div className="q-wizard-foot">
            {template && (
              <Button type="link" icon={<DownloadOutlined aria-hidden />} onClick={() => void fetchTemplate(template)}>
                {t.template}
              </Button>
            )}
            <Space>
              {stage.file && <span>{t.chosen(stage.file.name, formatBytes(stage.file.size))}</span>}
              <Button
                type="primary"
                disabled={!stage.file}
                onClick={() => stage.file && void start(stage.file).catch(() => undefined)}
              >
                {preview ? t.checkFile : t.startImport}
              </Button>
            </Space>
          </div>
        </>
      )}
      {stage.at === "send" && (
        <div role="status">
          <p>{t.chosen(stage.file.name, formatBytes(stage.file.size))}</p>
          <Progress percent={stage.percent} status="active" aria-label={t.sending} />
          <p className="q-soft">{stage.percent < 100 ? t.sending : stage.checks ? t.checking : t.working}</p>
        </div>
      )}
      {stage.at === "checked" && (
        <div>
          <div role="status">
            <p>{t.chosen(stage.file.name, formatBytes(stage.file.size))}</p>
            {preview?.describe(stage.data, stage.beside)}
          </div>
          <div className="q-wizard-foot">
            <Button onClick={() => setStage({ at: "choose", file: stage.file })}>{t.back}</Button>
            <Button type="primary" onClick={() => void run(stage.file, stage.beside, false)}>
              {preview?.startText?.(stage.data) ?? t.startImport}
            </Button>
          </div>
        </div>
      )}
      {stage.at === "done" && (
        <div role="status">
          {describe(stage.data)}
          <div className="q-wizard-foot">
            <Button onClick={() => setStage({ at: "choose" })}>{t.another}</Button>
            <Button type="primary" onClick={onClose}>
              {t.done}
            </Button>
          </div>
        </div>
      )}
    </Modal>
  );
}

/** The file's bytes as they are now: somebody may save the workbook between the preview and the import. */
async function keep(file: File): Promise<File | undefined> {
  try {
    return new File([await file.arrayBuffer()], file.name, { type: file.type });
  } catch {
    return undefined;
  }
}

type WizardTexts = Pick<
  (typeof texts)["zh"] | (typeof texts)["en"],
  "checkFailed" | "checkFailedAbout" | "importFailed" | "importFailedAbout"
>;

function sayFailure({ rows, message }: CallFailure, checked: boolean, t: WizardTexts) {
  if (rows.length === 0) return { title: message };
  return checked
    ? { title: t.checkFailed(rows.length), description: t.checkFailedAbout }
    : { title: t.importFailed, description: t.importFailedAbout };
}
