import { DownloadOutlined, FileOutlined } from "@ant-design/icons";
import { Alert, Button, Modal, Skeleton } from "antd";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTexts } from "#console/blocks/texts.ts";
import { toUploadPath } from "#console/blocks/upload-path.ts";
import { toFileName } from "#console/call/call.ts";
import { toAddress } from "#shared/call/exchange.ts";
import { place } from "#shared/place.ts";

const images = /\.(?:png|jpe?g|gif|webp)$/i;
const readable = /\.(?:pdf|txt|csv)$/i;

/** Returns the file's original name or, until it is known, the random name in its path. */
function useFileName({ path, address }: Place): string {
  const { data } = useQuery({
    queryKey: ["file-name", path],
    queryFn: ({ signal }) => readFileName(address, signal),
    staleTime: Infinity,
  });
  return data ?? path.split("/").at(-1) ?? path;
}

async function readFileName(address: string, signal: AbortSignal): Promise<string | null> {
  const { headers } = await fetch(address, { method: "HEAD", signal });
  return toFileName(headers.get("content-disposition")) ?? null;
}

const origins = [location.origin, ...(place.publicUrl ? [new URL(place.publicUrl).origin] : [])] as const;

interface Place {
  readonly path: string;
  readonly address: string;
}

interface FilePreviewProps {
  readonly path: string;
  /** The record's receipt. It gives access to a non-public file, because an image request cannot carry a token. */
  readonly receipt?: string;
}

export function FilePreview({ path: reference, receipt }: FilePreviewProps) {
  const path = toUploadPath(reference, origins);
  if (path === undefined) return <span>{reference}</span>;
  return <Upload path={path} address={toAddress(path) + (receipt === undefined ? "" : `?receipt=${receipt}`)} />;
}

function Upload({ path, address }: Place) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  const name = useFileName({ path, address });
  return (
    <>
      <button type="button" className="q-file" onClick={() => setOpen(true)} aria-label={`${t.preview} ${name}`}>
        {images.test(path) ? <img src={address} alt="" loading="lazy" /> : <FileOutlined aria-hidden />}
        {!images.test(path) && <span>{name}</span>}
      </button>
      {open && (
        <Modal
          open
          title={name}
          width={880}
          onCancel={() => setOpen(false)}
          footer={
            <Button icon={<DownloadOutlined aria-hidden />} href={address} download={name}>
              {t.downloadFile}
            </Button>
          }
        >
          <Large path={path} address={address} name={name} />
        </Modal>
      )}
    </>
  );
}

function Large({ path, address, name }: Place & { readonly name: string }) {
  const t = useTexts();
  if (images.test(path)) return <img className="q-file-large" src={address} alt={name} />;
  if (readable.test(path)) return <Read path={path} address={address} name={name} />;
  return <Alert type="info" title={t.noPreview} />;
}

/** The server sends PDF and text files as downloads, so the page fetches them and shows them from memory. */
function Read({ path, address, name }: Place & { readonly name: string }) {
  const t = useTexts();
  const [shown, setShown] = useState<{ url?: string; text?: string; failed?: true }>();
  const pdf = /\.pdf$/i.test(path);
  useEffect(() => {
    const leaving = new AbortController();
    let url: string | undefined;
    const load = async () => {
      const answer = await fetch(address, { signal: leaving.signal });
      if (!answer.ok) return setShown({ failed: true });
      if (!pdf) return setShown({ text: await answer.text() });
      url = URL.createObjectURL(new Blob([await answer.blob()], { type: "application/pdf" }));
      return setShown({ url });
    };
    load().catch(() => !leaving.signal.aborted && setShown({ failed: true }));
    return () => {
      leaving.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [address, pdf]);
  if (!shown) return <Skeleton active />;
  if (shown.failed) return <Alert type="error" title={t.failed} />;
  // The browser's PDF viewer does not run in a sandboxed frame. The page sets the file's type itself, so the frame can
  // only show a PDF.
  // oxlint-disable-next-line react/iframe-missing-sandbox
  if (shown.url !== undefined) return <iframe className="q-file-large" src={shown.url} title={name} />;
  return <pre className="q-file-text">{shown.text}</pre>;
}
