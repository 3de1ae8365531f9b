import { Modal } from "antd";
import type { ReactNode } from "react";

interface ImportModalProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** The window of an import. A click beside it does not close it: what is on its way is easily lost so. */
export function ImportModal({ title, onClose, children }: ImportModalProps) {
  return (
    <Modal open title={title} width={680} mask={{ closable: false }} onCancel={onClose} footer={null}>
      {children}
    </Modal>
  );
}
