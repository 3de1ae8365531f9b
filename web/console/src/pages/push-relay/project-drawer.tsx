import { Alert, Button, Space } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { pushRelay } from "#shared/api/push-relay.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { useRead } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import { BacklogFigure, LatencyFigure, RateFigure } from "#console/pages/push-relay/health-figure.tsx";
import { everyMs, listStates, type Project, type ProjectState, useHealth } from "#console/pages/push-relay/project.ts";
import { useProjectActions } from "#console/pages/push-relay/project-actions.ts";
import { ProjectSecret } from "#console/pages/push-relay/project-secret.tsx";
import { ProjectStates } from "#console/pages/push-relay/project-states.tsx";
import { describeFault } from "#console/blocks/sending-fault.ts";
import { ReplayDrawer, type ReplayKind } from "#console/pages/push-relay/replay-drawer.tsx";
import { type RelayTexts, texts } from "#console/pages/push-relay/texts.ts";
import { useMay } from "#console/session/session.ts";

interface ProjectDrawerProps {
  readonly id: number;
  readonly onEdit: (project: Project) => void;
  readonly onTest: (project: Project) => void;
  readonly onClose: () => void;
}

/** All of one project, and what can be done with it. */
export function ProjectDrawer({ id, onEdit, onTest, onClose }: ProjectDrawerProps) {
  const t = useTexts(texts);
  const { data, error, refetch } = useRead(pushRelay.listProjects, {}, { everyMs });
  const project = data?.find((one) => one.id === id);
  const isMissing = data !== undefined && !project;
  return (
    <DetailDrawer
      title={project?.project ?? t.projects}
      details={error || isMissing ? [] : project && describe(project, t)}
      width={760}
      audited={{ service: "push-relay", record: id, what: "project" }}
      onClose={onClose}
      actions={project && <Actions project={project} onEdit={onEdit} onTest={onTest} onClose={onClose} />}
    >
      {error && <Failure failure={error} onRetry={refetch} />}
      {isMissing && <Alert type="warning" showIcon title={t.noSuchProject} />}
      {project && (
        <>
          <StateNotes project={project} />
          <HealthPart project={project} />
          <DeliveriesPart project={project} />
          <ProjectSecret key={project.id} project={project} />
          <BackfillPart project={project} />
        </>
      )}
    </DetailDrawer>
  );
}

const describe = (project: Project, t: RelayTexts) => [
  { label: t.url, value: project.url, wide: true },
  { label: t.state, value: <ProjectStates project={project} /> },
  { label: t.createTime, value: project.createTime },
  { label: t.lastSuccess, value: project.lastSuccessTime },
  { label: t.lastError, value: project.lastError && describeFault(project.lastError, t.errors) },
];

function Actions({ project, onEdit, onTest, onClose }: Omit<ProjectDrawerProps, "id"> & { readonly project: Project }) {
  const t = useTexts(texts);
  const may = useMay();
  const { pause, resume, makeValid, remove } = useProjectActions(project);
  return (
    <Space>
      {may(pushRelay.deleteProject) && (
        <Button danger onClick={() => remove(onClose)}>
          {t.remove}
        </Button>
      )}
      {may(pushRelay.updateProject) && <Button onClick={() => onEdit(project)}>{t.edit}</Button>}
      {project.statu === 1 && may(pushRelay.updateProject) && <Button onClick={makeValid}>{t.makeValid}</Button>}
      {project.paused
        ? may(pushRelay.resumeProject) && <Button onClick={resume}>{t.resume}</Button>
        : may(pushRelay.pauseProject) && <Button onClick={pause}>{t.pause}</Button>}
      {may(pushRelay.testProject) && (
        <Button type="primary" onClick={() => onTest(project)}>
          {t.test}
        </Button>
      )}
    </Space>
  );
}

function StateNotes({ project }: { readonly project: Project }) {
  const t = useTexts(texts);
  const notes: Partial<Record<ProjectState, string>> = {
    invalid: t.invalidAbout,
    paused: t.pausedAbout,
    flagged: t.flaggedAbout,
  };
  return listStates(project).map(
    (state) =>
      notes[state] !== undefined && (
        <Alert key={state} type="warning" showIcon title={notes[state]} className="q-push-part" role="note" />
      ),
  );
}

function HealthPart({ project: { id, pending } }: { readonly project: Project }) {
  const t = useTexts(texts);
  const health = useHealth().get(id);
  return (
    <section className="q-push-part" aria-label={t.health}>
      <h3>{t.health}</h3>
      {health && (
        <p className="q-soft">
          {t.healthSince(health.since)}
          {" · "}
          {t.attemptsOf(formatCount(health.delivered), formatCount(health.failed))}
        </p>
      )}
      <dl className="q-push-healths">
        <div>
          <dt>{t.rate}</dt>
          <dd>
            <RateFigure health={health} large />
          </dd>
        </div>
        <div>
          <dt>{t.latency}</dt>
          <dd>
            <LatencyFigure health={health} large />
          </dd>
        </div>
        <div>
          <dt>{t.backlog}</dt>
          <dd>
            <BacklogFigure health={health} pending={pending} large />
          </dd>
        </div>
      </dl>
    </section>
  );
}

function DeliveriesPart({ project: { id, dead } }: { readonly project: Project }) {
  const t = useTexts(texts);
  const may = useMay();
  const [replaying, setReplaying] = useState<ReplayKind>();
  const list = `/push-relay/deliveries?projectId=${id}`;
  return (
    <section className="q-push-part" aria-label={t.deliveries}>
      <h3>{t.deliveries}</h3>
      <Space wrap size={[16, 8]}>
        <Link to={list}>{t.seeDeliveries}</Link>
        {dead > 0 && <Link to={`${list}&status=dead`}>{t.seeDead(formatCount(dead))}</Link>}
        {may(pushRelay.replayDeliveries) && (
          <>
            {dead > 0 && <Button onClick={() => setReplaying("dead")}>{t.replayDead}</Button>}
            <Button onClick={() => setReplaying("since")}>{t.replaySince}</Button>
          </>
        )}
      </Space>
      {replaying && <ReplayDrawer kind={replaying} projectId={id} onClose={() => setReplaying(undefined)} />}
    </section>
  );
}

function BackfillPart({ project }: { readonly project: Project }) {
  const t = useTexts(texts);
  const may = useMay();
  const { backfill } = useProjectActions(project);
  if (!may(pushRelay.backfillProject)) return null;
  return (
    <section className="q-push-part" aria-label={t.backfill}>
      <h3>{t.backfill}</h3>
      <p className="q-soft">{t.backfillAbout}</p>
      <Button onClick={() => void backfill()}>{t.backfill}</Button>
    </section>
  );
}
