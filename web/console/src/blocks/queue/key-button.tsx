import { Button, type ButtonProps } from "antd";

interface KeyButtonProps extends Pick<ButtonProps, "type" | "danger" | "disabled" | "loading"> {
  /** As in `KeyboardEvent.key`, letters in upper case: "J", "1", "Escape". */
  readonly letter: string;
  readonly onClick: () => void;
  readonly children: string;
}

/** A button with a keyboard shortcut that is active while the focus is in the queue (`pressButton`). */
export const KeyButton = ({ letter, children, ...button }: KeyButtonProps) => (
  <Button {...button} aria-keyshortcuts={letter}>
    {children}
    <kbd aria-hidden data-key={letter === "Escape" ? "Esc" : letter} />
  </Button>
);
