import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { type CodeFailure, type CodeLack, findCodeLack, loadCode } from "#console/call/code.ts";
import { Alert, Button, Result } from "antd";
import { useTexts } from "#console/blocks/texts.ts";

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

/** In place of what could not be loaded: why, as far as that can be found out, and the way to it. */
export function MissingCode({ failure, isPage = false }: { readonly failure: CodeFailure; readonly isPage?: boolean }) {
  const t = useTexts();
  const [lack, setLack] = useState<CodeLack>();
  const [busy, setBusy] = useState(false);
  // A reload that finds no server would leave the console for the browser's own page.
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
      // Come back to by the menu: nothing is typed in a page that never was.
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
  return isPage ? (
    <div role="alert">
      <Result status={lack === "newer" ? "info" : "warning"} title={title} subTitle={about} extra={button} />
    </div>
  ) : (
    <Alert type="warning" showIcon title={title} description={about} action={button} />
  );
}
