import { Alert } from "antd";
import { Trial } from "#console/blocks/trial.tsx";
import { pushRelay } from "#shared/api/push-relay.ts";
import type { DataOf } from "#shared/call/operation.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Project } from "#console/pages/push-relay/project.ts";
import { describeFault } from "#console/blocks/sending-fault.ts";
import { formatDuration } from "#console/pages/push-relay/duration.ts";
import { texts } from "#console/pages/push-relay/texts.ts";

/** Sends a project the test event, and tells what it answered. */
export function TestPush({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const t = useTexts(texts);
  return (
    <Trial
      title={t.testNamed(project.project)}
      about={t.testAbout}
      address={project.url}
      operation={pushRelay.testProject}
      given={{ query: { id: project.id } }}
      describe={(result) => <TestOutcome result={result} />}
      onClose={onClose}
    />
  );
}

function TestOutcome({ result }: { readonly result: DataOf<typeof pushRelay.testProject> }) {
  const t = useTexts(texts);
  const { statusCode, durationMs, error } = result;
  const took = formatDuration(durationMs, t);
  if (error === null && statusCode !== null)
    return <Alert type="success" showIcon title={t.testPassed(statusCode, took)} />;
  return (
    <Alert
      type="error"
      showIcon
      title={t.testFailed(error === null ? "" : describeFault(error, t.errors))}
      description={statusCode === null ? t.testUnanswered(took) : t.testAnswered(statusCode, took)}
    />
  );
}
