import { PageHead } from "#console/blocks/page-head.tsx";

export function AdministratorsPage() {
  return <PageHead title="…" />;
}
