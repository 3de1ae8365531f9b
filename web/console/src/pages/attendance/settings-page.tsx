import { Skeleton } from "antd";
import { attendance } from "#shared/api/attendance.ts";
import { Failure } from "#console/blocks/failure.tsx";
import { PageHead } from "#console/blocks/page-head.tsx";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { SettingsForm } from "#console/pages/attendance/settings/settings-form.tsx";
import { texts } from "#console/pages/attendance/texts.ts";
import "#console/pages/attendance/attendance.css";

/** By which words an address is of a campus, and where the buckets of lateness end. */
export function SettingsPage() {
  const t = useTexts(texts);
  const { data, error, refetch } = useRead(attendance.readSettings, {});
  return (
    <>
      <PageHead title={t.settings} about={t.settingsAbout} />
      {error ? (
        <Failure failure={error} onRetry={refetch} />
      ) : data ? (
        <SettingsForm key={JSON.stringify(data)} present={data} />
      ) : (
        <div className="q-card">
          <Skeleton active />
        </div>
      )}
    </>
  );
}
