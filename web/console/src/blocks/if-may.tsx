import type { ReactNode } from "react";
import { type Judged, useMay } from "#console/session/session.ts";

interface IfMayProps {
  readonly operation: Judged;
  readonly children: ReactNode;
}

/** What calls the operation, for those who may call it. */
export function IfMay({ operation, children }: IfMayProps) {
  return useMay()(operation) ? children : null;
}
