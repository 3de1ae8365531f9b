import { Alert, Button } from "antd";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#console/language/language.ts";

interface FailureProps {
  readonly failure: Error;
  readonly onRetry: () => unknown;
}

/** In place of what could not be loaded. */
export function Failure({ failure, onRetry }: FailureProps) {
  const t = useTexts(texts);
  return (
    <Alert
      type="error"
      showIcon
      title={t.failed}
      description={failure.message}
      action={
        <Button size="small" onClick={() => void onRetry()}>
          {t.retry}
        </Button>
      }
    />
  );
}
