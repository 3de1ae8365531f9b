import { type ReactNode, useEffect, useRef } from "react";
import { useTexts } from "#screen/texts.ts";

// An untouched card closes after this time, since the card covers the display and whoever opened it has probably left.
const untouchedMs = 90_000;

interface CardProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Card({ title, onClose, children }: CardProps) {
  const t = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  useUntouched(() => dialog.current?.close());
  return (
    <dialog ref={dialog} className="s-card" aria-label={title} onClose={onClose} closedby="any">
      <div className="s-card-sheet">
        <header>
          <h2>{title}</h2>
          <button type="button" className="s-button" onClick={() => dialog.current?.close()}>
            {t.close}
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

function useUntouched(leave: () => void): void {
  const left = useRef(leave);
  useEffect(() => {
    let timer = setTimeout(left.current, untouchedMs);
    const touched = () => {
      clearTimeout(timer);
      timer = setTimeout(left.current, untouchedMs);
    };
    const kinds = ["pointerdown", "keydown", "wheel"] as const;
    for (const kind of kinds) window.addEventListener(kind, touched, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const kind of kinds) window.removeEventListener(kind, touched);
    };
  }, []);
}
