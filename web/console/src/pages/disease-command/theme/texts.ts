import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    title: "大屏主题",
    about: "同一时间只启用一个主题，启用后大屏随即切换。大屏按主题名称配色。",
    one: "主题",
    themeName: "主题名称",
    themeNameHelp: "大屏按名称识别主题",
    enable: "状态",
    states: { "1": "启用中", "2": "未启用" },
    turnOn: "启用",
    turnOnNamed: (name: string) => `启用 ${name}`,
    turnOnTitle: (name: string) => `启用“${name}”？`,
    turnOnAbout: (other: string | undefined) =>
      other === undefined ? "大屏会立即换成此主题。" : `大屏会立即由“${other}”换成此主题，“${other}”随之停用。`,
    turnedOn: (name: string) => `已启用“${name}”`,
    undo: "撤销",
    undone: "已撤销",
    turnOff: "停用",
    turnOffNamed: (name: string) => `停用 ${name}`,
    turnedOff: (name: string) => `已停用“${name}”`,
    turnOffTitle: (name: string) => `停用“${name}”？`,
    turnOffAbout: "停用后没有启用的主题，大屏使用自带样式。",
    preview: "预览",
    removeOnAbout: "这是正在使用的主题，删除后大屏使用自带样式。删除后不能恢复。",
    empty: "还没有主题",
    emptyAbout: "新建主题并启用，大屏随即切换。",
  },
  {
    title: "Themes",
    about:
      "Only one theme is enabled at a time, and the big screen follows at once. It takes its colours from the theme's name.",
    one: "theme",
    themeName: "Name",
    themeNameHelp: "The big screen recognises a theme by its name",
    enable: "Status",
    states: { "1": "Enabled", "2": "Not enabled" },
    turnOn: "Enable",
    turnOnNamed: (name: string) => `Enable ${name}`,
    turnOnTitle: (name: string) => `Enable “${name}”?`,
    turnOnAbout: (other: string | undefined) =>
      other === undefined
        ? "The big screen changes to it at once."
        : `The big screen changes to it at once, and “${other}” is disabled.`,
    turnedOn: (name: string) => `“${name}” is enabled`,
    undo: "Undo",
    undone: "Undone",
    turnOff: "Disable",
    turnOffNamed: (name: string) => `Disable ${name}`,
    turnedOff: (name: string) => `“${name}” is disabled`,
    turnOffTitle: (name: string) => `Disable “${name}”?`,
    turnOffAbout: "Without an enabled theme the big screen uses its own style.",
    preview: "Preview",
    removeOnAbout: "This theme is in use. Without it the big screen uses its own style. This cannot be undone.",
    empty: "No themes yet",
    emptyAbout: "Add a theme and enable it: the big screen follows at once.",
  },
);
