import { Button, Result } from "antd";
import { Link, useRouteError } from "react-router";
import { MissingCode } from "#console/blocks/missing-code.tsx";
import { CodeFailure } from "#console/call/code.ts";
import { useTexts } from "#shared/language/language.ts";
import { texts } from "#console/shell/texts.ts";

export function NotFoundPage() {
  const t = useTexts(texts);
  return <Result status="404" title={t.notFound} subTitle={t.notFoundAbout} extra={<Link to="/">{t.toHome}</Link>} />;
}

export function ForbiddenPage() {
  const t = useTexts(texts);
  return <Result status="403" title={t.forbidden} subTitle={t.forbiddenAbout} extra={<Link to="/">{t.toHome}</Link>} />;
}

/** A page that broke, or whose code did not come. */
export function BrokenPage() {
  const t = useTexts(texts);
  const error = useRouteError();
  if (error instanceof CodeFailure) return <MissingCode failure={error} isPage />;
  console.error(error);
  return (
    <Result
      status="error"
      title={t.broken}
      subTitle={t.brokenAbout}
      extra={
        <Button type="primary" onClick={() => location.reload()}>
          {t.reload}
        </Button>
      }
    />
  );
}
