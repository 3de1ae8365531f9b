import { useState } from "react";

interface SureButtonProps {
  readonly label: string;
  readonly sure: string;
  readonly keep: string;
  readonly isBusy?: boolean;
  readonly onSure: () => void;
}

export function SureButton({ label, sure, keep, isBusy = false, onSure }: SureButtonProps) {
  const [isAsked, setIsAsked] = useState(false);
  if (!isAsked)
    return (
      <button type="button" className="button" disabled={isBusy} onClick={() => setIsAsked(true)}>
        {label}
      </button>
    );
  return (
    <span className="row" role="group" aria-label={label}>
      <button
        type="button"
        className="button"
        data-kind="danger"
        autoFocus
        disabled={isBusy}
        onClick={() => {
          setIsAsked(false);
          onSure();
        }}
      >
        {sure}
      </button>
      <button type="button" className="button" onClick={() => setIsAsked(false)}>
        {keep}
      </button>
    </span>
  );
}
