import { currentSession } from "#console/session/session.ts";
import { answerPreviews, screenAddress, toPreviewAddress } from "#shared/screen-preview.ts";

const opened = new Set<MessageEventSource>();

export const openScreen = (): Window | null => window.open(screenAddress(), "_blank");

export function openPreview(themeId: number): void {
  if (opened.size === 0)
    answerPreviews(
      (preview) => opened.has(preview),
      () => currentSession()?.token,
    );
  const preview = window.open(toPreviewAddress(themeId), "_blank");
  if (preview) opened.add(preview);
}
