import { pushRelay } from "#shared/api/push-relay.ts";
import type { Field } from "#console/blocks/fields.tsx";
import { FormDrawer } from "#console/blocks/form-drawer.tsx";
import { formatCount } from "#console/blocks/format.ts";
import { useChange, useRead } from "#console/call/use-call.ts";
import { useTexts } from "#console/pages/push-relay/texts.ts";

export type ReplayKind = "dead" | "since";

interface ReplayDrawerProps {
  readonly kind: ReplayKind;
  readonly projectId?: number | undefined;
  readonly onClose: () => void;
}

interface Given {
  readonly projectId: number;
  readonly since?: string;
}

export function ReplayDrawer({ kind, projectId, onClose }: ReplayDrawerProps) {
  const t = useTexts();
  const { data: projects = [] } = useRead(pushRelay.listProjects, {});
  const replay = useChange(pushRelay.replayDeliveries, {
    done: (count) => t.replayed(formatCount(Number(count))),
    quiet: true,
  });
  const fields: Field[] = [
    {
      kind: "select",
      name: "projectId",
      label: t.replayProject,
      required: true,
      options: projects.map(({ id, project, dead }) => ({
        value: id,
        label: kind === "dead" ? t.deadCount(project, formatCount(dead)) : project,
      })),
    },
    ...(kind === "since" ? ([{ kind: "dateTime", name: "since", label: t.since, required: true }] as const) : []),
  ];
  return (
    <FormDrawer<Given>
      title={kind === "dead" ? t.replayDead : t.replaySince}
      needs={pushRelay.replayDeliveries}
      fields={fields}
      initial={projectId === undefined ? {} : { projectId }}
      onSave={(given) => replay.mutateAsync({ body: kind === "dead" ? { ...given, status: "dead" } : given })}
      onClose={onClose}
      saveText={t.replay}
    >
      <p className="q-soft">{kind === "dead" ? t.replayDeadAbout : t.replaySinceAbout}</p>
    </FormDrawer>
  );
}
