import { Alert, Button } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { pushRelay } from "#shared/api/push-relay.ts";
import { ButtonLink, RowAction } from "#console/blocks/buttons.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { useOpened } from "#console/blocks/list-page/address.ts";
import { actionColumn, type Column } from "#console/blocks/list-page/columns.tsx";
import { ListPage } from "#console/blocks/list-page/list-page.tsx";
import { useChange, useRead } from "#console/call/use-call.ts";
import { BacklogFigure, LatencyFigure, RateFigure } from "#console/pages/push-relay/health-figure.tsx";
import { everyMs, formatDuration, type Project, ProjectStates, useHealth } from "#console/pages/push-relay/project.tsx";
import { ProjectDrawer } from "#console/pages/push-relay/project-drawer.tsx";
import {
  noSelection,
  type SelectionGiven,
  toGiven,
  toSelection,
  useSelectionFields,
} from "#console/pages/push-relay/selection-form.tsx";
import { describeFault } from "#console/blocks/sending-fault.ts";
import { useTexts } from "#console/pages/push-relay/texts.ts";
import { useMay } from "#console/session/session.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { Trial } from "#console/blocks/trial.tsx";
import type { DataOf } from "#shared/call/operation.ts";

export function ProjectsPage() {
  const t = useTexts();
  const may = useMay();
  const [opened, open] = useOpened();
  const [editing, setEditing] = useState<Project | "new">();
  const [testing, setTesting] = useState<Project>();
  const applications = useRead(pushRelay.listApplications, {}, { enabled: useMay()(pushRelay.listApplications) });
  const isFirst = applications.data?.length === 0;
  const create = (
    <Button type="primary" onClick={() => setEditing("new")}>
      {t.createProject}
    </Button>
  );
  const first = (
    <ButtonLink type="primary" to="/push-relay/applications">
      {t.registerFirst}
    </ButtonLink>
  );
  return (
    <>
      <ListPage
        title={t.projects}
        about={t.projectsAbout}
        name="push-relay/projects"
        operation={pushRelay.listProjects}
        columns={useColumns({ open, test: setTesting })}
        everyMs={everyMs}
        actions={may(pushRelay.addProject) && create}
        empty={{
          title: t.noProjects,
          about: isFirst ? t.noProjectsFirst : t.noProjectsAbout,
          action: isFirst ? first : may(pushRelay.addProject) && create,
        }}
      />
      {opened !== undefined && (
        <ProjectDrawer id={Number(opened)} onEdit={setEditing} onTest={setTesting} onClose={() => open(undefined)} />
      )}
      {editing !== undefined && (
        <ProjectForm
          project={editing === "new" ? undefined : editing}
          onAdded={open}
          onClose={() => setEditing(undefined)}
        />
      )}
      {testing && <TestPush project={testing} onClose={() => setTesting(undefined)} />}
    </>
  );
}

interface RowActions {
  readonly open: (id: number) => void;
  readonly test: (project: Project) => void;
}

function useColumns({ open, test }: RowActions): Column<Project>[] {
  const t = useTexts();
  const health = useHealth();
  return [
    { field: "id", title: t.id, width: 80, hidden: true, align: "right" },
    {
      field: "project",
      title: t.project,
      width: 190,
      render: ({ project, url }) => (
        <>
          {project}
          <div className="q-push-under" title={url}>
            {url}
          </div>
        </>
      ),
    },
    {
      field: "state",
      title: t.state,
      width: 160,
      render: (project) => {
        const said = project.lastError === null ? "" : describeFault(project.lastError, t.errors);
        return (
          <>
            <ProjectStates project={project} />
            <div className="q-push-under" title={said}>
              {said}
            </div>
          </>
        );
      },
    },
    { field: "rate", title: t.rate, width: 142, render: ({ id }) => <RateFigure health={health.get(id)} /> },
    { field: "latency", title: t.latency, width: 140, render: ({ id }) => <LatencyFigure health={health.get(id)} /> },
    {
      field: "pending",
      title: t.backlog,
      width: 128,
      render: ({ id, pending }) => <BacklogFigure health={health.get(id)} pending={pending} />,
    },
    {
      field: "dead",
      title: t.dead,
      width: 80,
      align: "right",
      render: ({ id, dead }) =>
        dead === 0 ? "0" : <Link to={`/push-relay/deliveries?projectId=${id}&status=dead`}>{formatCount(dead)}</Link>,
    },
    { field: "lastSuccessTime", title: t.lastSuccess, width: 165 },
    { field: "createTime", title: t.createTime, width: 165, hidden: true },
    actionColumn(t.actions, 96, (project) => (
      <>
        <RowAction needs="nothing" label={t.openProject(project.project)} onClick={() => open(project.id)}>
          {t.open}
        </RowAction>
        <RowAction needs={pushRelay.testProject} label={t.testNamed(project.project)} onClick={() => test(project)}>
          {t.testShort}
        </RowAction>
      </>
    )),
  ];
}

interface ProjectFormProps {
  readonly project: Project | undefined;
  readonly onAdded: (id: number) => void;
  readonly onClose: () => void;
}

interface Given extends SelectionGiven {
  readonly url: string;
  readonly project?: string;
  readonly statu?: 0 | 1;
  readonly pull?: boolean;
  readonly contact?: string;
}

function ProjectForm({ project, onAdded, onClose }: ProjectFormProps) {
  const t = useTexts();
  const options = { done: t.saved, quiet: true };
  const add = useChange(pushRelay.addProject, options);
  const update = useChange(pushRelay.updateProject, options);
  const statu: Field = {
    kind: "choices",
    name: "statu",
    label: t.status,
    help: t.statuHelp,
    options: [
      { value: 0, label: t.status0 },
      { value: 1, label: t.status1 },
    ],
  };
  const way: Field = { kind: "switch", name: "pull", label: t.pulled, help: t.wayHelp, off: false, on: true };
  const fields: Field[] = [
    {
      kind: "text",
      name: "url",
      label: t.url,
      required: true,
      max: 1024,
      placeholder: "http://10.20.0.5:9080/campus-events",
      help: t.urlHelp,
    },
    { kind: "text", name: "project", label: t.project, max: 255, help: t.projectHelp },
    ...(project ? [statu] : []),
    way,
    { kind: "text", name: "contact", label: t.contact, max: 254, help: t.contactHelp },
    ...useSelectionFields(project?.id),
  ];
  return (
    <FormDrawer<Given>
      title={project ? t.editProject(project.project) : t.createProject}
      needs={project ? pushRelay.updateProject : pushRelay.addProject}
      fields={fields}
      width={760}
      initial={
        project
          ? {
              url: project.url,
              project: project.project,
              statu: project.statu,
              pull: project.pull ?? false,
              contact: project.contact ?? "",
              ...toGiven(project),
            }
          : { pull: false, ...noSelection }
      }
      onSave={async ({ project: name = "", url, statu, pull = false, contact = "", ...given }, idempotencyKey) => {
        const body = {
          url: url.trim(),
          project: name.trim(),
          ...(statu !== undefined && { statu }),
          pull,
          // Some users see the contact masked, and the form must not send the mask back.
          ...(contact !== (project?.contact ?? "") && { contact: contact.trim() }),
          ...toSelection(given),
        };
        if (project) await update.mutateAsync({ body: { ...body, id: project.id } });
        else onAdded(Number(await add.mutateAsync({ body, options: { idempotencyKey } })));
      }}
      onClose={onClose}
    />
  );
}

function TestPush({ project, onClose }: { readonly project: Project; readonly onClose: () => void }) {
  const t = useTexts();
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
  const t = useTexts();
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
