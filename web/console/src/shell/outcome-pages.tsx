import { Button, Result } from "antd";
import { Link, useRouteError } from "react-router";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/shell/texts.ts";

export function NotFoundPage() {
  const t = useTexts(texts);
  return <Result status="404" title={t.notFound} subTitle={t.notFoundAbout} extra={<Link to="/">{t.toHome}</Link>} />;
}

export function ForbiddenPage() {
  const t = useTexts(texts);
  return <Result status="403" title={t.forbidden} subTitle={t.forbiddenAbout} extra={<Link to="/">{t.toHome}</Link>} />;
}

/** A page that broke, or whose code is gone since the server has a newer one. */
export function BrokenPage() {
  const t = useTexts(texts);
  const error = useRouteError();
  console.error(error);
  const outdated = error instanceof TypeError && /import/i.test(error.message);
  return (
    <Result
      status={outdated ? "info" : "error"}
      title={outdated ? t.outdated : t.broken}
      subTitle={outdated ? t.outdatedAbout : t.brokenAbout}
      extra={
        <Button type="primary" onClick={() => location.reload()}>
          {t.reload}
        </Button>
      }
    />
  );
}
