import { PageHead } from "#console/blocks/page-head.tsx";

export function SettingsPage() {
  return <PageHead title="settings" />;
}
