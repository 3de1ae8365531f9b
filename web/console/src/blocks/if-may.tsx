import type { ReactNode } from "react";
import { type Judged, useMay } from "#console/session/session.ts";
import { Alert } from "antd";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";

export function IfMay({ operation, children }: { readonly operation: Judged; readonly children: ReactNode }) {
  return useMay()(operation) ? children : null;
}

/** In place of what one may not do, should something lead there; a test that presses everything looks for it. */
export function MayNot() {
  const t = useTexts(texts);
  return <Alert type="warning" showIcon title={t.mayNot} className="q-may-not" />;
}
