import { PageHead } from "#console/blocks/page-head.tsx";

export function HealthPage() {
  return <PageHead title="health" />;
}
