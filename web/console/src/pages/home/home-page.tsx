import { PageHead } from "#console/blocks/page-head.tsx";
import { useTexts } from "#console/language/language.ts";
import { texts } from "#console/shell/texts.ts";

export function HomePage() {
  const t = useTexts(texts);
  return <PageHead title={t.home} />;
}
