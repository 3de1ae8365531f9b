import { Alert } from "antd";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";

/** In place of what one may not do, should something lead there; a test that presses everything looks for it. */
export function MayNot() {
  const t = useTexts(texts);
  return <Alert type="warning" showIcon title={t.mayNot} className="q-may-not" />;
}
