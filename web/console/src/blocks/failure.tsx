import type { UseQueryResult } from "@tanstack/react-query";
import { Alert, Button, Skeleton } from "antd";
import type { ReactNode } from "react";
import { formatInstant } from "#shared/instant.ts";
import { useTexts } from "#console/blocks/texts.ts";

interface FailureProps {
  readonly failure: Error;
  readonly onRetry: () => unknown;
  readonly readMs?: number;
}

export function Failure({ failure, onRetry, readMs }: FailureProps) {
  const t = useTexts();
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

interface LoadedProps<D> {
  readonly read: Pick<UseQueryResult<D>, "data" | "error" | "refetch">;
  readonly children: (data: D) => ReactNode;
}

export function Loaded<D>({ read: { data, error, refetch }, children }: LoadedProps<D>) {
  if (error) return <Failure failure={error} onRetry={refetch} />;
  if (data !== undefined) return children(data);
  return (
    <div className="q-card">
      <Skeleton active />
    </div>
  );
}
