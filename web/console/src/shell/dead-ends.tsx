import { Result } from "antd";
import { Link } from "react-router";
import { useTexts } from "#console/shell/texts.ts";

export function NotFoundPage() {
  const t = useTexts();
  return <Result status="404" title={t.notFound} subTitle={t.notFoundAbout} extra={<Link to="/">{t.toHome}</Link>} />;
}

export function ForbiddenPage() {
  const t = useTexts();
  return <Result status="403" title={t.forbidden} subTitle={t.forbiddenAbout} extra={<Link to="/">{t.toHome}</Link>} />;
}
