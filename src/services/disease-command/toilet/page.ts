import { describeMap } from "#platform/contract/map-settings.ts";
import type { Platform } from "#platform/process/platform.ts";
import type { WebPage } from "#platform/process/service.ts";

/** Where anybody finds a toilet nearby. It is told how maps are set: it measures distances before it draws one. */
export const toiletsPage = ({ settings }: Platform): WebPage => ({
  entry: "public/toilets",
  paths: ["/h5/toilets/"],
  title: { zh: "附近公厕", en: "Toilets nearby" },
  about: { zh: "最近的开放公厕、无障碍设施与导航", en: "The nearest open toilets, what they have, and the way there" },
  told: { map: describeMap(settings) },
});
