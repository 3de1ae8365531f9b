import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["大屏主题", "Themes"],
  about: [
    "同一时间只启用一个主题，启用后大屏随即切换。大屏按主题名称配色。",
    "Only one theme is enabled at a time, and the big screen follows at once. It takes its colours from the theme's name.",
  ],
  one: ["主题", "theme"],
  themeName: ["主题名称", "Name"],
  themeNameHelp: ["大屏按名称识别主题", "The big screen recognises a theme by its name"],
  enable: ["状态", "Status"],
  states: { "1": ["启用中", "Enabled"], "2": ["未启用", "Not enabled"] },
  turnOn: ["启用", "Enable"],
  turnOnNamed: (name: string) => [`启用 ${name}`, `Enable ${name}`],
  turnOnTitle: (name: string) => [`启用“${name}”？`, `Enable “${name}”?`],
  turnOnAbout: (other: string | undefined) => [
    other === undefined ? "大屏会立即换成此主题。" : `大屏会立即由“${other}”换成此主题，“${other}”随之停用。`,
    other === undefined
      ? "The big screen changes to it at once."
      : `The big screen changes to it at once, and “${other}” is disabled.`,
  ],
  turnedOn: (name: string) => [`已启用“${name}”`, `“${name}” is enabled`],
  undo: ["撤销", "Undo"],
  undone: ["已撤销", "Undone"],
  turnOff: ["停用", "Disable"],
  turnOffNamed: (name: string) => [`停用 ${name}`, `Disable ${name}`],
  turnedOff: (name: string) => [`已停用“${name}”`, `“${name}” is disabled`],
  turnOffTitle: (name: string) => [`停用“${name}”？`, `Disable “${name}”?`],
  turnOffAbout: [
    "停用后没有启用的主题，大屏使用自带样式。",
    "Without an enabled theme the big screen uses its own style.",
  ],
  preview: ["预览", "Preview"],
  removeOnAbout: [
    "这是正在使用的主题，删除后大屏使用自带样式。删除后不能恢复。",
    "This theme is in use. Without it the big screen uses its own style. This cannot be undone.",
  ],
  empty: ["还没有主题", "No themes yet"],
  emptyAbout: ["新建主题并启用，大屏随即切换。", "Add a theme and enable it: the big screen follows at once."],
});
