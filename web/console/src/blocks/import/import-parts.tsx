import { Alert, App, Modal } from "antd";
import { type DragEvent, type ReactNode, useId, useState } from "react";
import type { CallFailure, RowError } from "#shared/call/failure.ts";
import { Records } from "#console/blocks/list-page/records.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import { InboxOutlined } from "@ant-design/icons";
import { download } from "#console/call/call.ts";
import type { Operation } from "#shared/call/operation.ts";

interface ImportModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A click outside the dialog does not close it, since an accidental click would lose work. */
export function ImportModal({ title, onClose, children }: ImportModalProps) {
  return (
    <Modal open title={title} width={680} mask={{ closable: false }} onCancel={onClose} footer={null}>
      {children}
    </Modal>
  );
}

interface ImportFaultsProps {
  readonly title: string;
  readonly about?: string | undefined;
  readonly rows: readonly RowError[];
}

export function ImportFaults({ title, about, rows }: ImportFaultsProps) {
  return (
    <>
      <Alert type="error" showIcon className="q-form-failure" title={title} description={about} />
      {rows.length > 0 && <RowErrors rows={rows} />}
    </>
  );
}

function RowErrors({ rows }: { readonly rows: readonly RowError[] }) {
  const t = useTexts();
  return (
    <div className="q-row-errors">
      <Records<RowError & { key: number }>
        density="small"
        rowKey={({ key }) => key}
        rows={rows.map((row, key) => ({ ...row, key }))}
        pageSize={10}
        empty={null}
        columns={[
          { title: t.row, field: "row", width: 72 },
          { title: t.field, field: "field", width: 140 },
          { title: t.problem, field: "message", width: 220, wraps: true },
        ]}
      />
      {rows.length >= 100 && <p className="q-soft">{t.moreRows}</p>}
    </div>
  );
}

interface FileDropProps {
  readonly accept: string;
  readonly maxMb: number;
  readonly onFile: (file: File) => void;
  readonly several?: boolean;
  readonly disabled?: boolean;
}

export function FileDrop({ accept, maxMb, onFile, several = false, disabled = false }: FileDropProps) {
  const t = useTexts();
  const id = useId();
  const [over, setOver] = useState(false);
  const [tooLarge, setTooLarge] = useState(false);
  const take = (files: FileList | null) => {
    setOver(false);
    const taken = [...(files ?? [])].slice(0, several ? undefined : 1);
    const isFit = ({ size }: File) => size <= maxMb * 1024 * 1024;
    setTooLarge(!taken.every(isFit));
    taken.filter(isFit).forEach(onFile);
  };
  const drag = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    if (!disabled) take(event.dataTransfer.files);
  };
  return (
    <div
      className={over ? "q-drop q-drop-over" : "q-drop"}
      onDragOver={drag}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <input
        id={id}
        type="file"
        accept={accept}
        multiple={several}
        disabled={disabled}
        onChange={(event) => {
          take(event.target.files);
          // If the user corrects a file and chooses it again, browsers report that only if the value was cleared.
          event.target.value = "";
        }}
      />
      <label htmlFor={id}>
        <InboxOutlined aria-hidden className="q-drop-icon" />
        <span>{t.dropFile}</span>
        <span className="q-soft">{t.dropFileAbout(accept.replaceAll(".", "").replaceAll(",", ", "), maxMb)}</span>
        {tooLarge && (
          <span role="alert" className="q-drop-fault">
            {t.tooLarge(maxMb)}
          </span>
        )}
      </label>
    </div>
  );
}

export function useTemplate(): (operation: Operation) => void {
  const { message } = App.useApp();
  return (operation) =>
    void download(operation, {}).catch((failure: CallFailure) => void message.error(failure.message));
}
