import { PageHead } from "#console/blocks/page-head.tsx";

export function AuditPage() {
  return <PageHead title="audit" />;
}
