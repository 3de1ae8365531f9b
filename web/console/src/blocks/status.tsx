import { Badge } from "antd";
import type { ReactNode } from "react";

export type Tone = "success" | "warning" | "error" | "processing" | "default";

/** A state in a word, with a dot of its tone: the word keeps the text's contrast, and the dot alone says nothing. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <Badge status={tone} text={children} />;
}
