import { CloseOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form } from "antd";
import { useId, useState } from "react";
import { diseaseCommand } from "#shared/api/disease-command.ts";
import { FilePreview } from "#console/blocks/file-preview.tsx";
import { callWith, type CallOptions } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { makeKey } from "#shared/call/exchange.ts";
import { useTexts } from "#console/blocks/images/texts.ts";
import { uploadFor } from "#console/blocks/use-form-call.tsx";
import { useMay } from "#console/session/session.ts";
import { platform } from "#shared/api/platform.ts";
import { place } from "#shared/place.ts";
import "#console/blocks/images/images.css";

const split = (names: string | null | undefined): string[] => [
  ...new Set((names ?? "").split(",").filter((name) => name !== "")),
];

const places = {
  records: {
    folder: "/disease-command/file/",
    needs: diseaseCommand.uploadImage,
    upload: (file: File, options: CallOptions) => callWith(diseaseCommand.uploadImage, { file }, options),
  },
  institution: {
    folder: "/platform/institution/picture/",
    needs: platform.uploadInstitutionPicture,
    upload: (file: File, options: CallOptions) => callWith(platform.uploadInstitutionPicture, { file }, options),
  },
} as const;

const toPath = (name: string, of: keyof typeof places): string => places[of].folder + encodeURIComponent(name);

interface ImagesProps {
  readonly names: string | null | undefined;
  readonly of?: keyof typeof places;
}

export function Images({ names, of = "records" }: ImagesProps) {
  const all = split(names);
  if (all.length === 0) return <>—</>;
  return (
    <span className="q-images">
      {all.map((name) => (
        <FilePreview key={name} path={toPath(name, of)} />
      ))}
    </span>
  );
}

interface ImageUploadProps {
  readonly id?: string;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly most: number;
  readonly of?: keyof typeof places;
}

export function ImageUpload({ id, value, onChange, most, of = "records" }: ImageUploadProps) {
  const t = useTexts();
  const form = Form.useFormInstance();
  const names = split(value);
  const { percent, fault, upload } = useUpload({ names, most, of }, (next) => onChange?.(next.join(",")));
  const may = useMay()(places[of].needs);
  const ownId = useId();
  const inputId = id ?? ownId;
  if (!may) return <Images names={value} of={of} />;
  return (
    <div className="q-images">
      {names.map((name) => (
        <span key={name} className="q-image">
          <FilePreview path={toPath(name, of)} />
          <Button
            size="small"
            shape="circle"
            icon={<CloseOutlined />}
            aria-label={t.removeImage(name)}
            disabled={percent !== undefined}
            onClick={() => onChange?.(names.filter((other) => other !== name).join(","))}
          />
        </span>
      ))}
      {(names.length < most || most === 1) && (
        <span className="q-image-add">
          <input
            id={inputId}
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            multiple={most > 1}
            disabled={percent !== undefined}
            onChange={({ target }) => {
              const files = [...(target.files ?? [])];
              void uploadFor(form, () => upload(files));
              target.value = "";
            }}
          />
          <label htmlFor={inputId}>
            <PlusOutlined />
            <span role="status">{percent === undefined ? t.uploadImage : t.uploading(percent)}</span>
          </label>
        </span>
      )}
      <span className="q-image-about q-soft">{t.imageAbout(place.maxUploadMb)}</span>
      {fault !== undefined && (
        <span role="alert" className="q-image-about q-drop-fault">
          {fault}
        </span>
      )}
    </div>
  );
}

function useUpload(
  { names, most, of }: { readonly names: readonly string[]; readonly most: number; readonly of: keyof typeof places },
  onNames: (names: readonly string[]) => void,
) {
  const t = useTexts();
  const [percent, setPercent] = useState<number>();
  const [fault, setFault] = useState<string>();
  const send = async (file: File): Promise<string> => {
    setPercent(0);
    const options = { onProgress: setPercent, idempotencyKey: makeKey() };
    return (await places[of].upload(file, options)).imageName;
  };
  const upload = async (files: readonly File[]) => {
    setFault(undefined);
    const kept = most === 1 ? [] : [...names];
    try {
      for (const file of files.slice(0, most - kept.length)) {
        if (file.size > place.maxUploadMb * 1024 * 1024) {
          setFault(t.tooLarge(place.maxUploadMb));
          continue;
        }
        kept.push(await send(file));
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
