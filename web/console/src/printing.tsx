import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";
import { PrinterOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { formatInstant } from "#shared/instant.ts";
import { useTexts } from "#console/blocks/texts.ts";
import { useSession } from "#console/session/session.ts";

// Printing renders virtualized and collapsed content in full. The browser captures the page when the event handler
// returns, so the render must be synchronous.

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
        // Printing waits until the click has rendered, since the tooltip would otherwise be printed too.
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
