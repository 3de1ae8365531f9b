import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    title: "景区承载量",
    about: "景区同时容纳游客的上限，供大屏计算客流饱和度。",
    one: "景区承载量",
    scenicSpotName: "景区名称",
    scenicSpotNameHelp: "与地图上的名称完全一致",
    maxCapacity: "最大承载量",
    visitors: "人",
    empty: "还没有设置承载量",
    emptyAbout: "为每个景区设置一个上限。",
  },
  {
    title: "Spot capacities",
    about: "How many visitors a scenic spot can hold at a time; the big screen uses it to show how crowded it is.",
    one: "capacity",
    scenicSpotName: "Scenic spot",
    scenicSpotNameHelp: "Exactly its name on the map",
    maxCapacity: "Maximum capacity",
    visitors: "visitors",
    empty: "No capacities yet",
    emptyAbout: "Set one for each scenic spot.",
  },
);
