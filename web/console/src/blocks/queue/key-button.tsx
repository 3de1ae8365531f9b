import { Button, type ButtonProps } from "antd";

interface KeyButtonProps extends Pick<ButtonProps, "type" | "danger" | "disabled" | "loading"> {
  readonly letter: string;
  readonly onClick: () => void;
  readonly children: string;
}

export const KeyButton = ({ letter, children, ...button }: KeyButtonProps) => (
  <Button {...button} aria-keyshortcuts={letter}>
    {children}
    <kbd aria-hidden data-key={letter === "Escape" ? "Esc" : letter} />
  </Button>
);
