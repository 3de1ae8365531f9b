import { Status } from "#console/blocks/status.tsx";
import { useTexts } from "#shared/language/language.ts";
import { listStates, type Project, stateTones } from "#console/pages/push-relay/project.ts";
import { texts } from "#console/pages/push-relay/texts.ts";

export function ProjectStates({ project }: { readonly project: Project }) {
  const t = useTexts(texts);
  return (
    <span className="q-push-states">
      {listStates(project).map((state) => (
        <Status key={state} tone={stateTones[state]}>
          {t.states[state]}
        </Status>
      ))}
    </span>
  );
}
