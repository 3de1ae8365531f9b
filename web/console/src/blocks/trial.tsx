import { Alert, Button, Modal } from "antd";
import type { ReactNode } from "react";
import { MayNot } from "#console/blocks/buttons.tsx";
import { useTexts } from "#console/blocks/texts.ts";
import { useChange } from "#console/call/use-call.ts";
import { useMay } from "#console/session/session.ts";
import type { Data, Given, Operation } from "#shared/call/operation.ts";
import type { Endpoint } from "#platform/contract/endpoint.ts";

interface TrialProps<E extends Endpoint> {
  readonly title: string;
  readonly about: string;
  readonly address?: string;
  readonly operation: Operation<E>;
  readonly given: Given<E>;
  readonly onClose: () => void;
  readonly describe: (data: Data<E>) => ReactNode;
}

export function Trial<E extends Endpoint>(props: TrialProps<E>) {
  const { title, about, address, operation, given, onClose, describe } = props;
  const t = useTexts();
  const { mutate, data, error, isPending } = useChange(operation, { quiet: true });
  const isOffered = useMay()(operation);
  return (
    <Modal open title={title} onCancel={onClose} footer={null}>
      {!isOffered && <MayNot />}
      <p>{about}</p>
      {address !== undefined && (
        <p className="q-value">
          <code>{address}</code>
        </p>
      )}
      <div role="status">
        {data !== undefined && describe(data)}
        {error && <Alert type="error" showIcon title={error.message} />}
      </div>
      <div className="q-wizard-foot">
        <Button type="primary" loading={isPending} disabled={!isOffered} onClick={() => mutate(given as never)}>
          {data !== undefined || error ? t.sendAgain : t.sendTrial}
        </Button>
      </div>
    </Modal>
  );
}
