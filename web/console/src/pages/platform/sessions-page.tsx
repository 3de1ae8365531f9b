import { PageHead } from "#console/blocks/page-head.tsx";

export function SessionsPage() {
  return <PageHead title="sessions" />;
}
