import { Alert, Button } from "antd";
import { formatInstant } from "#console/blocks/format.ts";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";

interface FailureProps {
  readonly failure: Error;
  readonly onRetry: () => unknown;
  /** When what stands below was read, in epoch milliseconds, where anything does. */
  readonly readMs?: number;
}

/** In place of what could not be loaded, or above what was read before. */
export function Failure({ failure, onRetry, readMs }: FailureProps) {
  const t = useTexts(texts);
  return (
    <Alert
      type="error"
      showIcon
      className="q-failure"
      title={t.failed}
      description={
        <>
          {failure.message}
          {readMs !== undefined && <div>{t.old(formatInstant(readMs).slice(11))}</div>}
        </>
      }
      action={
        <Button size="small" onClick={() => void onRetry()}>
          {t.retry}
        </Button>
      }
    />
  );
}
