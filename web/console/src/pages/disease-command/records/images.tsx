import { CloseOutlined, PlusOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { useId, useState } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { FilePreview } from "#console/blocks/file-preview.tsx";
import { callWith } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { makeKey } from "#shared/call/exchange.ts";
import { useRecordTexts as useTexts } from "#console/pages/disease-command/texts.ts";
import { place } from "#shared/place.ts";
import "#console/pages/disease-command/records/images.css";

const split = (names: string | null | undefined): string[] => [
  ...new Set((names ?? "").split(",").filter((name) => name !== "")),
];

const toPath = (name: string): string => `/disease-command/file/${encodeURIComponent(name)}`;

export function Images({ names }: { readonly names: string | null | undefined }) {
  const all = split(names);
  if (all.length === 0) return <>—</>;
  return (
    <span className="q-disease-images">
      {all.map((name) => (
        <FilePreview key={name} path={toPath(name)} />
      ))}
    </span>
  );
}

interface ImageUploadProps {
  readonly id?: string;
  /** Names with commas between. */
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly most: number;
}

export function ImageUpload({ id, value, onChange, most }: ImageUploadProps) {
  const t = useTexts();
  const names = split(value);
  const { percent, fault, upload } = useUpload(names, most, (next) => onChange?.(next.join(",")));
  const ownId = useId();
  const inputId = id ?? ownId;
  return (
    <div className="q-disease-images">
      {names.map((name) => (
        <span key={name} className="q-disease-image">
          <FilePreview path={toPath(name)} />
          <Button
            size="small"
            shape="circle"
            icon={<CloseOutlined />}
            aria-label={t.removeImage(name)}
            onClick={() => onChange?.(names.filter((other) => other !== name).join(","))}
          />
        </span>
      ))}
      {(names.length < most || most === 1) && (
        <span className="q-disease-image-add">
          <input
            id={inputId}
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            multiple={most > 1}
            disabled={percent !== undefined}
            onChange={({ target }) => {
              void upload([...(target.files ?? [])]);
              target.value = "";
            }}
          />
          <label htmlFor={inputId}>
            <PlusOutlined />
            <span role="status">{percent === undefined ? t.uploadImage : t.uploading(percent)}</span>
          </label>
        </span>
      )}
      <span className="q-disease-image-about q-soft">{t.imageAbout(place.maxUploadMb)}</span>
      {fault !== undefined && (
        <span role="alert" className="q-disease-image-about q-drop-fault">
          {fault}
        </span>
      )}
    </div>
  );
}

/** Uploads files one after another; those that went well stay when one does not. */
function useUpload(names: readonly string[], most: number, onNames: (names: readonly string[]) => void) {
  const t = useTexts();
  const [percent, setPercent] = useState<number>();
  const [fault, setFault] = useState<string>();
  const send = async (file: File): Promise<string> => {
    setPercent(0);
    const options = { onProgress: setPercent, idempotencyKey: makeKey() };
    return (await callWith(diseaseCommand.uploadImage, { file }, options)).imageName;
  };
  const upload = async (files: readonly File[]) => {
    setFault(undefined);
    const kept = most === 1 ? [] : [...names];
    try {
      for (const file of files.slice(0, most - kept.length)) {
        if (file.size > place.maxUploadMb * 1024 * 1024) setFault(t.tooLarge(place.maxUploadMb));
        else kept.push(await send(file));
        onNames([...kept]);
      }
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      setFault(error.message);
    } finally {
      setPercent(undefined);
    }
  };
  return { percent, fault, upload };
}
