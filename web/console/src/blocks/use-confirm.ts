import { App } from "antd";
import type { ReactNode } from "react";
import { CallFailure } from "#shared/call/failure.ts";
import { texts } from "#console/blocks/texts.ts";
import { type Judged, useMay } from "#console/session/session.ts";
import { useTexts } from "#shared/language/language.ts";

interface Question {
  /** Names what it is about: `删除 3 条报备？`. */
  readonly title: string;
  readonly about?: ReactNode;
  /** The verb of the button; left out, 删除. */
  readonly verb?: string;
  /** False for what can be undone. */
  readonly danger?: boolean;
  /** What the work calls: who may not is told so in place of being asked. */
  readonly needs: Judged;
  readonly work: () => Promise<unknown>;
}

/** Asks before something is done. The dialog stays until the work has ended; useChange says how it went. */
export function useConfirm(): (question: Question) => void {
  const t = useTexts(texts);
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
