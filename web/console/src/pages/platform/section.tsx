import { SettingOutlined } from "@ant-design/icons";
import { platform } from "#shared/api/platform.ts";
import type { Section } from "#console/shell/section.ts";

export const platformSection: Section = {
  service: "platform",
  title: { zh: "平台管理", en: "Platform" },
  icon: <SettingOutlined aria-hidden />,
  operations: platform,
  loadFigures: async () => (await import("#console/pages/platform/home/figures.tsx")).PlatformFigures,
  loadSettingWords: async () => (await import("#console/pages/platform/setting-words.ts")).settingWords,
  accounts: {
    title: { zh: "操作员", en: "Operator" },
    page: "operators",
    list: platform.listOperators,
  },
};
