import { Skeleton } from "antd";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useRead } from "#console/call/use-call.ts";
import { platform } from "#shared/api/platform.ts";
import { SetupList } from "./setup-list.tsx";
import { useTexts } from "./texts.ts";

export function SetupPage() {
  const t = useTexts();
  const { data, error, refetch } = useRead(platform.readSetup, {});
  return (
    <>
      <PageHead title={t.title} about={t.about} />
      {error && <Failure failure={error} onRetry={refetch} />}
      {data ? (
        <section className="q-card">
          <SetupList items={data} />
        </section>
      ) : (
        !error && <Skeleton active />
      )}
    </>
  );
}

export function SetupGreeting() {
  const t = useTexts();
  const { data = [] } = useRead(platform.readSetup, {});
  const open = data.filter(({ state }) => state === "open");
  if (open.length === 0) return null;
  const count = data.filter(({ state }) => state !== "aside").length;
  return (
    <section className="q-card q-setup-greeting" aria-label={t.title}>
      <h2 className="q-setup-head">
        {t.title} <small className="q-soft">{t.progress(count - open.length, count)}</small>
      </h2>
      <SetupList items={open} />
    </section>
  );
}
