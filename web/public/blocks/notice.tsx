import type { ReactNode } from "react";

interface NoticeProps {
  readonly tone?: "good" | "warn" | "bad";
  readonly title: string;
  readonly children?: ReactNode;
}

export const Notice = ({ tone, title, children }: NoticeProps) => (
  <div className="note" data-tone={tone} role={tone === "bad" ? "alert" : "status"}>
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
);

export const Nothing = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className="empty">
    <p>
      <strong>{title}</strong>
    </p>
    <p>{children}</p>
  </div>
);
