import { pushRelay } from "#shared/api/push-relay.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Project } from "#console/pages/push-relay/project.ts";
import { texts } from "#console/pages/push-relay/texts.ts";

interface ProjectFormProps {
  /** Left out for a new one. */
  readonly project: Project | undefined;
  readonly onAdded: (id: number) => void;
  readonly onClose: () => void;
}

interface Given {
  readonly url: string;
  readonly project?: string;
  readonly statu?: 0 | 1;
}

/** Where a project is, what it is called, and whether it is valid. */
export function ProjectForm({ project, onAdded, onClose }: ProjectFormProps) {
  const t = useTexts(texts);
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
  ];
  return (
    <FormDrawer<Given>
      title={project ? t.editProject(project.project) : t.createProject}
      needs={project ? pushRelay.updateProject : pushRelay.addProject}
      fields={fields}
      initial={project ? { url: project.url, project: project.project, statu: project.statu } : {}}
      onSave={async ({ project: name = "", ...given }, idempotencyKey) => {
        const body = { ...given, url: given.url.trim(), project: name.trim() };
        if (project) await update.mutateAsync({ body: { ...body, id: project.id } });
        else onAdded(Number(await add.mutateAsync({ body, options: { idempotencyKey } })));
      }}
      onClose={onClose}
    />
  );
}
