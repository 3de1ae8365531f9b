import { useEffect, useState } from "react";
import { Copy, useCode } from "#public/blocks/code.tsx";
import { tuitionPayment } from "#shared/api/tuition-payment.ts";
import { openKept } from "./kept.ts";
import { Notice } from "#public/blocks/notice.tsx";
import { ask } from "./student.ts";
import { useTexts } from "./texts.ts";
import { useSending } from "#public/blocks/use-sending.ts";

const lookMs = 3000;

export function useLooking(isWaiting: boolean, look: () => void): void {
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => document.hidden || look(), lookMs);
    return () => clearInterval(timer);
  }, [isWaiting, look]);
}

export function PayCode({ text, onLook }: { readonly text: string; readonly onLook: () => void }) {
  const t = useTexts();
  useLooking(true, onLook);
  return (
    <section className="card stack tuition-code">
      <h2>{t.scan}</h2>
      <Picture text={text} alt={t.scan} />
      <p role="status">{t.scanAbout}</p>
    </section>
  );
}

function Picture({ text, alt }: { readonly text: string; readonly alt: string }) {
  const t = useTexts();
  const picture = useCode(text);
  if (picture === null) return <Notice tone="warn" title={t.codeFailed} />;
  return picture === undefined ? null : <img src={picture} alt={alt} width={232} height={232} />;
}

interface Kept {
  readonly orderNo: string;
  readonly text: string;
}

const keptLink = openKept<Kept>("link");
const keptCode = openKept<Kept>("code");

export function useKeptCode(orderNo: string) {
  const [text, setText] = useState(() => findKept(keptCode, orderNo));
  const show = (shown: string | undefined) => {
    if (shown === undefined) return;
    keepCode(orderNo, shown);
    setText(shown);
  };
  return { text, show };
}

export const keepCode = (orderNo: string, text: string): void => keptCode.set({ orderNo, text });

function findKept(kept: typeof keptCode, orderNo: string): string | undefined {
  const found = kept.get();
  return found?.orderNo === orderNo ? found.text : undefined;
}

/** The tab keeps the order's link, since making another link would revoke the first one. */
export function ShareLink({ orderNo }: { readonly orderNo: string }) {
  const t = useTexts();
  const [url, setUrl] = useState(() => findKept(keptLink, orderNo));
  const { isSending, failure, send } = useSending();
  const make = () =>
    send(async () => {
      const made = await ask(tuitionPayment.linkOrder, { params: { orderNo } });
      // The address is relative if the server has no public address configured.
      const address = new URL(made.url, location.origin).href;
      keptLink.set({ orderNo, text: address });
      setUrl(address);
    });
  if (url === undefined)
    return (
      <>
        {failure && <Notice tone="bad" title={failure.message} />}
        <button type="button" className="button" disabled={isSending} onClick={make}>
          {t.share}
        </button>
      </>
    );
  return (
    <section className="card stack tuition-code">
      <h2>{t.share}</h2>
      <p className="soft">{t.shareAbout}</p>
      <Picture text={url} alt={t.share} />
      <p className="tuition-link">{url}</p>
      <Copy text={url} />
    </section>
  );
}
