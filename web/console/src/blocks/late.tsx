import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { type CodeFailure, type CodeLack, findCodeLack, loadCode } from "#console/call/code.ts";
import { Alert, Button } from "antd";
import { useTexts } from "#console/blocks/texts.ts";

/**
 * Loads a component when it is first rendered. A loading failure is shown in place of the component; React's `lazy`
 * would throw, which removes the page and its input.
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

export function MissingCode({ failure, isPage = false }: { readonly failure: CodeFailure; readonly isPage?: boolean }) {
  const t = useTexts();
  const [lack, setLack] = useState<CodeLack>();
  const [busy, setBusy] = useState(false);
  // While the server is down, a reload would replace the console with the browser's error page.
  const retry = async () => {
    setBusy(true);
    const found = await findCodeLack();
    if (found !== "away") return location.reload();
    setLack(found);
    return setBusy(false);
  };
  const isKept = failure.isKept && isPage;
  useEffect(() => {
    const find = async () => {
      const found = await findCodeLack();
      // The failed page was just opened and holds no input, so a reload is safe.
      if (isKept && found !== "away") location.reload();
      else setLack(found);
    };
    void find();
  }, [isKept]);
  const [title, about] = lack === "newer" ? [t.newer, t.newerAbout] : [t.codeMissing, lack && t.codeLacks[lack]];
  const button = (
    <Button type={isPage ? "primary" : "default"} loading={busy} onClick={() => void retry()}>
      {lack === "newer" ? t.reload : t.retry}
    </Button>
  );
  return (
    <Alert type={lack === "newer" ? "info" : "warning"} showIcon title={title} description={about} action={button} />
  );
}
