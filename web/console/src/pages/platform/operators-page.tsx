import { PageHead } from "#console/blocks/page-head.tsx";

export function OperatorsPage() {
  return <PageHead title="operators" />;
}
