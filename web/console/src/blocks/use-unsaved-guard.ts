import { App } from "antd";
import { useEffect, useRef } from "react";
import { useBlocker } from "react-router";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";

/** Asks before something unsaved is left: by the returned function, by another page, by closing the tab. */
export function useUnsavedGuard(isUnsaved: () => boolean, onLeave: () => void): () => void {
  const t = useTexts(texts);
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
