import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { PrinterOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { formatInstant } from "#console/blocks/format.ts";
import { useTexts } from "#console/blocks/texts.ts";
import { useSession } from "#console/session/session.ts";

// A sheet of paper has no scrolling and nothing to unfold: what the screen shows a part of is drawn whole for it. The
// browser takes the sheet as it is when the event ends, so the drawing must have been done by then.

let printedMs: number | undefined;
const listeners = new Set<() => void>();

const turn = (next: number | undefined) =>
  flushSync(() => {
    printedMs = next;
    listeners.forEach((listener) => listener());
  });

window.addEventListener("beforeprint", () => turn(Date.now()));
window.addEventListener("afterprint", () => turn(undefined));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** When what is drawn for paper is printed, in epoch milliseconds; undefined for the screen. */
const usePrintedMs = (): number | undefined => useSyncExternalStore(subscribe, () => printedMs);

export const usePrinting = (): boolean => usePrintedMs() !== undefined;

export function PrintButton() {
  const t = useTexts();
  return (
    <Tooltip title={t.print}>
      <Button
        type="text"
        icon={<PrinterOutlined aria-hidden />}
        aria-label={t.print}
        // Not before the click has been drawn: the tooltip would be printed too.
        onClick={() => setTimeout(() => window.print())}
      />
    </Tooltip>
  );
}

export function PrintNote() {
  const t = useTexts();
  const session = useSession();
  const printedMs = usePrintedMs();
  if (printedMs === undefined || !session) return null;
  return <p className="q-print-note">{t.printed(formatInstant(printedMs), session.name || session.userName)}</p>;
}
