import { ShareAltOutlined } from "@ant-design/icons";
import { platform } from "#shared/api/platform.ts";
import { pushRelay } from "#shared/api/push-relay.ts";
import type { Section } from "#console/shell/section.ts";

export const pushRelaySection: Section = {
  service: "push-relay",
  title: { zh: "消息推送", en: "Push relay" },
  icon: <ShareAltOutlined aria-hidden />,
  operations: pushRelay,
  loadFigures: async () => (await import("#console/pages/push-relay/home/figures.tsx")).PushRelayFigures,
  figuresNeed: platform.getHealth,
  loadFindables: async () => (await import("#console/pages/push-relay/find.ts")).pushRelayFindable,
  loadSettingWords: async () => (await import("#console/pages/push-relay/setting-words.ts")).settingWords,
};
