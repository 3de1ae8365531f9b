import { CopyOutlined } from "@ant-design/icons";
import { App, Button, Input, Modal } from "antd";
import { useState } from "react";
import { useTexts } from "#console/blocks/texts.ts";

interface CopyTextProps {
  readonly text: string;
  /** What the text is, for those who hear the page. */
  readonly label: string;
}

/** Puts a text on the clipboard and says so; undefined where the browser lends it to no page, as without HTTPS. */
export function useCopy(): ((text: string) => void) | undefined {
  const t = useTexts();
  const { message } = App.useApp();
  const clipboard = (navigator as Partial<Navigator>).clipboard;
  if (!clipboard) return undefined;
  return (text) =>
    void clipboard.writeText(text).then(
      () => void message.success(t.copied),
      () => void message.warning(t.notCopied),
    );
}

/** A text to be taken along. Browsers lend the clipboard over HTTPS alone; elsewhere one click selects all of it. */
export function CopyText({ text, label }: CopyTextProps) {
  const t = useTexts();
  const copy = useCopy();
  return (
    <span className="q-copy">
      <code>{text}</code>
      {copy && (
        <Button
          type="text"
          size="small"
          icon={<CopyOutlined aria-hidden />}
          aria-label={t.copyNamed(label)}
          onClick={() => copy(text)}
        />
      )}
    </span>
  );
}

/** Copies a text that is too long to be shown; where the browser does not let it, the text is shown to be selected. */
export function CopyButton({ text, label }: CopyTextProps) {
  const copy = useCopy();
  const [shown, setShown] = useState(false);
  return (
    <>
      <Button size="small" icon={<CopyOutlined aria-hidden />} onClick={() => (copy ? copy(text) : setShown(true))}>
        {label}
      </Button>
      {shown && (
        <Modal open title={label} width={720} footer={null} onCancel={() => setShown(false)}>
          <Input.TextArea
            readOnly
            rows={14}
            value={text}
            aria-label={label}
            onFocus={(event) => event.target.select()}
          />
        </Modal>
      )}
    </>
  );
}
