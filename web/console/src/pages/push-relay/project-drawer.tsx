import { Alert, App, Button, Space } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { pushRelay } from "#shared/api/push-relay.ts";
import { DetailDrawer } from "#console/blocks/detail-drawer.tsx";
import { Failure } from "#console/blocks/failure.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { BacklogFigure, LatencyFigure, RateFigure } from "#console/pages/push-relay/health-figure.tsx";
import {
  everyMs,
  listStates,
  type Project,
  type ProjectState,
  ProjectStates,
  useHealth,
} from "#console/pages/push-relay/project.tsx";
import { describeFault } from "#console/blocks/sending-fault.ts";
import { ReplayDrawer, type ReplayKind } from "#console/pages/push-relay/replay-drawer.tsx";
import { type RelayTexts, useTexts } from "#console/pages/push-relay/texts.ts";
import { useMay } from "#console/session/session.ts";
import { CopyText } from "#console/blocks/copy-text.tsx";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { call } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";

interface ProjectDrawerProps {
  readonly id: number;
  readonly onEdit: (project: Project) => void;
  readonly onTest: (project: Project) => void;
  readonly onClose: () => void;
}

export function ProjectDrawer({ id, onEdit, onTest, onClose }: ProjectDrawerProps) {
  const t = useTexts();
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
          <ReceiverKey key={`key ${project.id}`} project={project} />
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
  { label: t.way, value: project.pull ? t.pulled : t.pushed },
  ...(project.contact === undefined ? [] : [{ label: t.contact, value: project.contact }]),
  { label: t.given, value: describeSelection(project, t), wide: true },
];

function describeSelection(
  { events = [], fields = {}, when = [], form = "json", perSecond = 0 }: Project,
  t: RelayTexts,
): string {
  const parts = [
    ...(events.length > 0 ? [`${t.givenEvents}: ${events.join(", ")}`] : []),
    ...Object.entries(fields).map(([event, names]) => `${event}: ${names.join(", ")}`),
    ...when.map((one) => `${one.field} = ${one.in.join(" / ")}`),
    ...(form === "json" ? [] : [t.forms[form]]),
    ...(perSecond > 0 ? [`${t.perSecond}: ${perSecond}`] : []),
  ];
  return parts.length > 0 ? parts.join(" · ") : t.givenAll;
}

function Actions({ project, onEdit, onTest, onClose }: Omit<ProjectDrawerProps, "id"> & { readonly project: Project }) {
  const t = useTexts();
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
  const t = useTexts();
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
  const t = useTexts();
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
          <dt className="q-stat-label">{t.rate}</dt>
          <dd>
            <RateFigure health={health} large />
          </dd>
        </div>
        <div>
          <dt className="q-stat-label">{t.latency}</dt>
          <dd>
            <LatencyFigure health={health} large />
          </dd>
        </div>
        <div>
          <dt className="q-stat-label">{t.backlog}</dt>
          <dd>
            <BacklogFigure health={health} pending={pending} large />
          </dd>
        </div>
      </dl>
    </section>
  );
}

function DeliveriesPart({ project: { id, dead } }: { readonly project: Project }) {
  const t = useTexts();
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
  const t = useTexts();
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

function ProjectSecret({ project: { id } }: { readonly project: Project }) {
  const t = useTexts();
  const may = useMay();
  const confirm = useConfirm();
  const read = useChange(pushRelay.readSecret);
  const rotate = useChange(pushRelay.rotateSecret);
  const secret = rotate.data?.secret ?? read.data?.secret;
  const ask = () =>
    confirm({
      title: t.rotateTitle,
      needs: pushRelay.rotateSecret,
      about: t.rotateAbout,
      verb: t.rotate,
      work: () => rotate.mutateAsync({ query: { id } }),
    });
  return (
    <section className="q-push-part" aria-label={t.secret}>
      <h3>{t.secret}</h3>
      <p className="q-soft">
        {t.secretAbout} {t.secretAudit}
      </p>
      {rotate.data && <Alert type="success" showIcon title={t.rotated} className="q-form-failure" />}
      <Space wrap>
        {secret !== undefined && <CopyText text={secret} label={t.secret} />}
        {secret === undefined && may(pushRelay.readSecret) && (
          <Button loading={read.isPending} onClick={() => read.mutate({ query: { id } })}>
            {t.showSecret}
          </Button>
        )}
        {may(pushRelay.rotateSecret) && <Button onClick={ask}>{t.rotate}</Button>}
      </Space>
    </section>
  );
}

function ReceiverKey({ project: { id } }: { readonly project: Project }) {
  const t = useTexts();
  const may = useMay();
  const confirm = useConfirm();
  const rotate = useChange(pushRelay.rotateReceiverKey);
  const key = rotate.data?.key;
  if (!may(pushRelay.rotateReceiverKey)) return null;
  const ask = () =>
    confirm({
      title: t.makeReceiverKeyTitle,
      needs: pushRelay.rotateReceiverKey,
      about: t.makeReceiverKeyAbout,
      verb: t.makeReceiverKey,
      work: () => rotate.mutateAsync({ query: { id } }),
    });
  return (
    <section className="q-push-part" aria-label={t.receiverKey}>
      <h3>{t.receiverKey}</h3>
      <p className="q-soft">{t.receiverKeyAbout}</p>
      <Space wrap>
        {key !== undefined && <CopyText text={key} label={t.receiverKey} />}
        <Button onClick={ask}>{t.makeReceiverKey}</Button>
      </Space>
    </section>
  );
}

interface ProjectActions {
  readonly pause: () => void;
  readonly resume: () => void;
  readonly makeValid: () => void;
  readonly backfill: () => Promise<void>;
  readonly remove: (onDone: () => void) => void;
}

function useProjectActions({ id, project, pending }: Project): ProjectActions {
  const t = useTexts();
  const confirm = useConfirm();
  const { message } = App.useApp();
  const pause = useChange(pushRelay.pauseProject, { done: t.paused });
  const resume = useChange(pushRelay.resumeProject, { done: t.resumed });
  const update = useChange(pushRelay.updateProject, { done: t.madeValid });
  const send = useChange(pushRelay.backfillProject, { done: (count) => t.backfilled(formatCount(Number(count))) });
  const removal = useChange(pushRelay.deleteProject, { done: t.removed });
  return {
    pause: () => pause.mutate({ query: { id } }),
    resume: () => resume.mutate({ query: { id } }),
    makeValid: () => update.mutate({ body: { id, statu: 0 } }),
    backfill: async () => {
      try {
        const { totalCount } = await call(pushRelay.listDirectory, { query: { curPage: 1, pageSize: 1 } });
        confirm({
          title: t.backfillTitle(project),
          needs: pushRelay.backfillProject,
          about: t.backfillQuestion(formatCount(totalCount)),
          verb: t.backfill,
          danger: false,
          work: () => send.mutateAsync({ query: { id } }),
        });
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
        void message.error(error.message);
      }
    },
    remove: (onDone) =>
      confirm({
        title: t.removeProject(project),
        needs: pushRelay.deleteProject,
        about: t.removeProjectAbout(formatCount(pending)),
        work: async () => {
          await removal.mutateAsync({ query: { id } });
          onDone();
        },
      }),
  };
}
