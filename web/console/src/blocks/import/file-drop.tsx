import { InboxOutlined } from "@ant-design/icons";
import { type DragEvent, useId, useState } from "react";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";

interface FileDropProps {
  /** As an input takes them: ".xlsx,.csv". */
  readonly accept: string;
  readonly maxMb: number;
  /** Told of each file. */
  readonly onFile: (file: File) => void;
  /** Several files at once. */
  readonly several?: boolean;
  readonly disabled?: boolean;
}

/** A place to drop a file on, or to choose one by mouse or keyboard. */
export function FileDrop({ accept, maxMb, onFile, several = false, disabled = false }: FileDropProps) {
  const t = useTexts(texts);
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
          // The same file, mended meanwhile, can be chosen again.
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
