import { App } from "antd";
import { pushRelay } from "#shared/api/push-relay.ts";
import { formatCount } from "#console/blocks/format.ts";
import { useConfirm } from "#console/blocks/use-confirm.ts";
import { call } from "#console/call/call.ts";
import { CallFailure } from "#shared/call/failure.ts";
import { useChange } from "#console/call/use-call.ts";
import { useTexts } from "#shared/language/language.ts";
import type { Project } from "#console/pages/push-relay/project.ts";
import { texts } from "#console/pages/push-relay/texts.ts";

interface ProjectActions {
  readonly pause: () => void;
  readonly resume: () => void;
  readonly makeValid: () => void;
  /** Says how much there is to send, and asks. */
  readonly backfill: () => Promise<void>;
  /** Asks, then deletes. */
  readonly remove: (onDone: () => void) => void;
}

/** What can be done with a project. */
export function useProjectActions({ id, project, pending }: Project): ProjectActions {
  const t = useTexts(texts);
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
