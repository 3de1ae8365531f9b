import { type ReactNode, useEffect, useState } from "react";
import { useTexts } from "#public/blocks/texts.ts";

/** Returns the QR code as an image address; null on failure, undefined while loading. */
export function useCode(text: string): string | null | undefined {
  const [picture, setPicture] = useState<string | null>();
  useEffect(() => {
    drawCode(text).then(setPicture, () => setPicture(null));
  }, [text]);
  return picture;
}

// The code is an image, since a long press cannot save inline SVG. It stays black on white in dark mode, since many
// scanners cannot read inverted codes.
async function drawCode(text: string): Promise<string> {
  const { generate } = await import("lean-qr");
  return generate(text).toDataURL({ on: [0, 0, 0, 255], off: [255, 255, 255, 255], scale: 8 });
}

export function Copy({ text }: { readonly text: string }): ReactNode {
  const t = useTexts();
  const [isCopied, setCopied] = useState(false);
  // The clipboard API needs a secure context.
  if (!("clipboard" in navigator)) return null;
  return (
    <button
      className="button"
      type="button"
      onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(true))}
    >
      <span role="status">{isCopied ? t.copied : t.copy}</span>
    </button>
  );
}
