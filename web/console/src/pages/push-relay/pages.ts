import { pushRelay } from "#shared/api/push-relay.ts";
import type { Page } from "#console/shell/section.ts";

export const pushRelayPages: readonly Page[] = [
  {
    path: "projects",
    title: { zh: "推送项目", en: "Push projects" },
    needs: pushRelay.listProjects,
    load: async () => (await import("#console/pages/push-relay/projects-page.tsx")).ProjectsPage,
  },
  {
    path: "deliveries",
    title: { zh: "投递记录", en: "Deliveries" },
    needs: pushRelay.listDeliveries,
    load: async () => (await import("#console/pages/push-relay/deliveries-page.tsx")).DeliveriesPage,
  },
  {
    path: "applications",
    title: { zh: "校园应用", en: "Applications" },
    needs: pushRelay.listApplications,
    load: async () => (await import("#console/pages/push-relay/applications-page.tsx")).ApplicationsPage,
  },
  {
    path: "directory",
    title: { zh: "人员与机构", en: "Directory" },
    needs: pushRelay.listDirectory,
    load: async () => (await import("#console/pages/push-relay/directory-page.tsx")).DirectoryPage,
  },
];
