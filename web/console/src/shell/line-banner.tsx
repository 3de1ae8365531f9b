import { Alert, App } from "antd";
import { useEffect } from "react";
import { formatInstant } from "#console/blocks/format.ts";
import { currentLine, onLine, useLine } from "#shared/call/line.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/shell/texts.ts";

/** Stands below the header for as long as the server cannot be reached, which is asked for by itself. */
export function LineBanner() {
  const t = useTexts(texts);
  const { isDown, sinceMs } = useLine();
  const { message } = App.useApp();
  useEffect(
    () =>
      onLine(() => {
        if (!currentLine().isDown) void message.success(t.lineBack);
      }),
    [message, t.lineBack],
  );
  return (
    <div role="status" className="q-line">
      {isDown && <Alert banner type="warning" role="none" title={t.lineDown(formatInstant(sinceMs).slice(11))} />}
    </div>
  );
}
