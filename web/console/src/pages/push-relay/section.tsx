import { ShareAltOutlined } from "@ant-design/icons";
import { platform } from "#shared/api/platform.ts";
import { pushRelay } from "#shared/api/push-relay.ts";
import type { Section } from "#console/shell/section.ts";

export const pushRelaySection: Section = {
  service: "push-relay",
  path: "push-relay",
  title: { zh: "消息推送", en: "Push relay" },
  icon: <ShareAltOutlined aria-hidden />,
  operations: pushRelay,
  loadFigures: async () => (await import("#console/pages/push-relay/home/figures.tsx")).PushRelayFigures,
  figuresNeed: platform.getHealth,
  loadSettingWords: async () => (await import("#console/pages/push-relay/setting-words.ts")).settingWords,
  pages: [
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
  ],
};
