import { CopyOutlined } from "@ant-design/icons";
import { App, Button } from "antd";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#console/language/language.ts";

interface CopyTextProps {
  readonly text: string;
  /** What the text is, for those who hear the page. */
  readonly label: string;
}

/** A text to be taken along. Browsers lend the clipboard over HTTPS alone; elsewhere one click selects all of it. */
export function CopyText({ text, label }: CopyTextProps) {
  const t = useTexts(texts);
  const { message } = App.useApp();
  const clipboard = (navigator as Partial<Navigator>).clipboard;
  const copy = () =>
    clipboard?.writeText(text).then(
      () => void message.success(t.copied),
      () => void message.warning(t.notCopied),
    );
  return (
    <span className="q-copy">
      <code>{text}</code>
      {clipboard && (
        <Button
          type="text"
          size="small"
          icon={<CopyOutlined aria-hidden />}
          aria-label={t.copyNamed(label)}
          onClick={() => void copy()}
        />
      )}
    </span>
  );
}
