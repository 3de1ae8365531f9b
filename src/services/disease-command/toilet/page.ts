import type { Platform } from "#platform/process/platform.ts";
import type { WebPage } from "#platform/process/service.ts";

/** Where anybody finds a toilet nearby. It is told what coordinates mean: it measures distances before a map is there. */
export const toiletsPage = ({ settings: { MAP_DATUM } }: Platform): WebPage => ({
  entry: "public/toilets",
  paths: ["/h5/toilets/"],
  title: { zh: "附近公厕", en: "Toilets nearby" },
  about: { zh: "最近的开放公厕、无障碍设施与导航", en: "The nearest open toilets, what they have, and the way there" },
  told: { datum: MAP_DATUM },
});
