import { App } from "antd";
import { type ReactNode, useEffect, useRef } from "react";
import { CallFailure } from "#shared/call/failure.ts";
import { useTexts } from "#console/blocks/texts.ts";
import { type Judged, useMay } from "#console/session/session.ts";
import { useBlocker } from "react-router";

interface Question {
  readonly title: string;
  readonly about?: ReactNode;
  readonly verb?: string;
  readonly danger?: boolean;
  /**
   * The operation that is called after the confirmation. Without the right to it, a message is shown instead of the
   * question.
   */
  readonly needs: Judged;
  readonly work: () => Promise<unknown>;
}

/** The dialog stays open until `work` has ended; `work` reports the outcome. */
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
          // `work` has already reported the failure.
          if (!(error instanceof CallFailure)) throw error;
        }
      },
    });
  };
}

/**
 * Asks for confirmation before unsaved input is lost by calling the returned function, leaving the page or closing the
 * tab.
 */
export function useUnsavedGuard(isUnsaved: () => boolean, onLeave: () => void): () => void {
  const t = useTexts();
  const { modal } = App.useApp();
  const asked = useRef<{ readonly destroy: () => void }>(undefined);
  const ask = (leave: () => void, stay?: () => void) => {
    // The browser's Back may open a second question. The first one is removed, since its answer would close the form
    // behind both.
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
  // An open form changes the list's query string, so only another path counts as leaving.
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && isUnsaved(),
  );
  // The question is asked once per blocked navigation: the functions are new in each render, so they are not
  // dependencies.
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
