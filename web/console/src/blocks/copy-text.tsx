import { CopyOutlined } from "@ant-design/icons";
import { App, Button, Input, Modal } from "antd";
import { useState } from "react";
import { useTexts } from "#console/blocks/texts.ts";

interface CopyTextProps {
  readonly text: string;
  readonly label: string;
}

/** Returns undefined if the browser offers no clipboard, as on pages without HTTPS. */
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
