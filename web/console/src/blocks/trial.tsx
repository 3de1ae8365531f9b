import { Alert, Button, Modal } from "antd";
import type { ReactNode } from "react";
import type { UseMutationResult } from "@tanstack/react-query";
import { texts } from "#console/blocks/texts.ts";
import { useTexts } from "#shared/language/language.ts";

interface TrialProps<D> {
  readonly title: string;
  readonly about: string;
  /** Where it goes. */
  readonly address: string;
  readonly sending: Pick<UseMutationResult<D>, "data" | "error" | "isPending">;
  readonly onSend: () => void;
  readonly onClose: () => void;
  /** What the other side answered, for people. */
  readonly describe: (data: D) => ReactNode;
}

/** Sends something to an address to see whether it arrives, as often as wanted. */
export function Trial<D>({ title, about, address, sending, onSend, onClose, describe }: TrialProps<D>) {
  const t = useTexts(texts);
  const { data, error, isPending } = sending;
  return (
    <Modal open title={title} onCancel={onClose} footer={null}>
      <p>{about}</p>
      <p className="q-value">
        <code>{address}</code>
      </p>
      <div role="status">
        {data !== undefined && describe(data)}
        {error && <Alert type="error" showIcon title={error.message} />}
      </div>
      <div className="q-wizard-foot">
        <Button type="primary" loading={isPending} onClick={onSend}>
          {data !== undefined || error ? t.sendAgain : t.sendTrial}
        </Button>
      </div>
    </Modal>
  );
}
