import { PrinterOutlined } from "@ant-design/icons";
import { Button, Tooltip } from "antd";
import { formatInstant } from "#console/blocks/format.ts";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";
import { usePrintedMs } from "#console/printing.ts";
import { useSession } from "#console/session/session.ts";

/** Prints what is open, as the browser's own menu does. */
export function PrintButton() {
  const t = useTexts(texts);
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

/** At the end of a sheet: when it was printed, and by whom. */
export function PrintNote() {
  const t = useTexts(texts);
  const session = useSession();
  const printedMs = usePrintedMs();
  if (printedMs === undefined || !session) return null;
  return <p className="q-print-note">{t.printed(formatInstant(printedMs), session.name || session.userName)}</p>;
}
