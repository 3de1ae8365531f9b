import { type ReactNode, useEffect, useState } from "react";
import { useTexts } from "#public/blocks/texts.ts";

/** The picture of a text as a code; null where it cannot be drawn, undefined while it is. */
export function useCode(text: string): string | null | undefined {
  const [picture, setPicture] = useState<string | null>();
  useEffect(() => {
    drawCode(text).then(setPicture, () => setPicture(null));
  }, [text]);
  return picture;
}

// A picture and not a drawing in the page: a picture can be kept by a long press. Black on white in the dark too, or half
// of the readers do not see it.
async function drawCode(text: string): Promise<string> {
  const { generate } = await import("lean-qr");
  return generate(text).toDataURL({ on: [0, 0, 0, 255], off: [255, 255, 255, 255], scale: 8 });
}

export function Copy({ text }: { readonly text: string }): ReactNode {
  const t = useTexts();
  const [isCopied, setCopied] = useState(false);
  // Browsers have it over HTTPS alone.
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
