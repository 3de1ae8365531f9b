import { type ReactNode, useEffect, useState } from "react";
import { toReceiptAddress } from "./receipt-path.ts";
import { useReportTexts } from "./texts.ts";

/** The receipt to keep: a picture that another phone reads, and the link itself. */
export function Keep({ receipt }: { readonly receipt: string }): ReactNode {
  const t = useReportTexts();
  const address = toReceiptAddress(receipt);
  const [picture, setPicture] = useState<string | null>();
  useEffect(() => {
    drawCode(address).then(setPicture, () => setPicture(null));
  }, [address]);
  return (
    <section className="card report-keep">
      {picture && (
        <>
          <img src={picture} alt={t.qr} width={232} height={232} />
          <p className="soft">{t.qrAbout}</p>
        </>
      )}
      {picture === null && <p className="soft">{t.qrFailed}</p>}
      <p className="report-link">{address}</p>
      <div className="row">
        {picture && (
          <a className="button" href={picture} download={`${receipt}.png`}>
            {t.save}
          </a>
        )}
        <Copy address={address} />
      </div>
    </section>
  );
}

function Copy({ address }: { readonly address: string }): ReactNode {
  const t = useReportTexts();
  const [isCopied, setCopied] = useState(false);
  // Browsers have it over HTTPS alone.
  if (!("clipboard" in navigator)) return null;
  return (
    <button
      className="button"
      type="button"
      onClick={() => void navigator.clipboard.writeText(address).then(() => setCopied(true))}
    >
      <span role="status">{isCopied ? t.copied : t.copy}</span>
    </button>
  );
}

// A picture and not a drawing in the page: a picture can be kept by a long press. Black on white in the dark too, or half
// of the readers do not see it.
async function drawCode(text: string): Promise<string> {
  const { generate } = await import("lean-qr");
  return generate(text).toDataURL({ on: [0, 0, 0, 255], off: [255, 255, 255, 255], scale: 8 });
}
