import { App } from "antd";
import { type ReactNode, useEffect, useRef } from "react";
import { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#console/blocks/texts.ts";
import { type Judged, useMay } from "#console/session/session.ts";
import { useBlocker } from "react-router";

interface Question {
  /** Names what it is about: `删除 3 条报备？`. */
  readonly title: string;
  readonly about?: ReactNode;
  /** The verb of the button; left out, 删除. */
  readonly verb?: string;
  readonly danger?: boolean;
  /** What the work calls: who may not is told so in place of being asked. */
  readonly needs: Judged;
  readonly work: () => Promise<unknown>;
}

/** Asks before something is done. The dialog stays until the work has ended; useChange says how it went. */
export function useConfirm(): (question: Question) => void {
  const t = useTexts();
  const { modal } = App.useApp();
  const may = useMay();
  return ({ title, about = t.removeAbout, verb = t.remove, danger = true, needs, work }) => {
    if (!may(needs)) return void modal.warning({ title: t.mayNot, className: "q-may-not" });
    return void modal.confirm({
      title,
      content: about,
      okText: verb,
      cancelText: t.cancel,
      okButtonProps: { danger },
      onOk: async () => {
        try {
          await work();
        } catch (error) {
          // Told by useChange; the dialog has nothing to add.
          if (!(error instanceof CallFailure)) throw error;
        }
      },
    });
  };
}

/** Asks before something unsaved is left: by the returned function, by another page, by closing the tab. */
export function useUnsavedGuard(isUnsaved: () => boolean, onLeave: () => void): () => void {
  const t = useTexts();
  const { modal } = App.useApp();
  const asked = useRef<{ readonly destroy: () => void }>(undefined);
  const ask = (leave: () => void, stay?: () => void) => {
    // The browser's own way back is open beside a question: of two, the answer to the first would close what the second is of.
    asked.current?.destroy();
    asked.current = modal.confirm({
      title: t.unsaved,
      content: t.unsavedAbout,
      okText: t.discard,
      cancelText: t.stay,
      okButtonProps: { danger: true },
      onOk: leave,
      ...(stay && { onCancel: stay }),
    });
  };
  // The address of a list changes beside an open form (its search); only another page is left for.
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && isUnsaved(),
  );
  // Once for each time that it blocks; the functions are new each time.
  // oxlint-disable react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  useEffect(() => {
    if (blocker.state === "blocked")
      ask(
        () => blocker.proceed(),
        () => blocker.reset(),
      );
  }, [blocker.state]);
  // oxlint-enable react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (isUnsaved()) event.preventDefault();
    };
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  });
  return () => (isUnsaved() ? ask(onLeave) : onLeave());
}
