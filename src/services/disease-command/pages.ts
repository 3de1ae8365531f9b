import type { Platform } from "#platform/process/platform.ts";
import type { WebPage } from "#platform/process/service.ts";

/** The command centre's wall, which the console also shows in a theme that is not enabled; and toilets for anybody. */
export const diseaseCommandPages = ({ settings: { MAP_DATUM } }: Platform): readonly WebPage[] => [
  {
    entry: "public/toilets",
    paths: ["/h5/toilets/"],
    title: { zh: "附近公厕", en: "Toilets nearby" },
    about: {
      zh: "最近的开放公厕、无障碍设施与导航",
      en: "The nearest open toilets, what they have, and the way there",
    },
    // It measures distances before a map is there.
    told: { datum: MAP_DATUM },
  },
  {
    entry: "screen",
    paths: ["/screen/"],
    title: { zh: "疫情防控与应急指挥大屏", en: "Epidemic control and emergency command" },
    about: { zh: "指挥中心大屏：广播、检测、门诊、景区与公厕", en: "The command centre's wall, as it changes" },
  },
];
