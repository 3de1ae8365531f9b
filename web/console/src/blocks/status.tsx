import { Badge } from "antd";
import type { ReactNode } from "react";

export type Tone = "success" | "warning" | "error" | "processing" | "default";

export function Status({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <Badge status={tone} text={children} />;
}
