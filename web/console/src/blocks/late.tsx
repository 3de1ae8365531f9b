import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { MissingCode } from "#console/blocks/missing-code.tsx";
import { type CodeFailure, loadCode } from "#console/call/code.ts";

/**
 * A component whose code comes when it is first shown. Where it does not come, this says so in its place and the rest
 * of the page stays: what React's own `lazy` throws would take the page along, and what was typed in it.
 */
export function late<P extends object>(
  load: () => Promise<ComponentType<P>>,
  waiting: (props: P) => ReactNode,
): ComponentType<P> {
  return function Late(props: P) {
    const [{ Part, failure }, set] = useState<{ Part?: ComponentType<P>; failure?: CodeFailure }>({});
    useEffect(() => {
      loadCode(load).then(
        (Loaded) => set({ Part: Loaded }),
        (error: CodeFailure) => set({ failure: error }),
      );
    }, []);
    if (failure) return <MissingCode failure={failure} />;
    return Part ? <Part {...props} /> : waiting(props);
  };
}
