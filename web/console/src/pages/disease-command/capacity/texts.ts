import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["景区承载量", "Spot capacities"],
  about: [
    "景区同时容纳游客的上限，供大屏计算客流饱和度。",
    "How many visitors a scenic spot can hold at a time; the big screen uses it to show how crowded it is.",
  ],
  one: ["景区承载量", "capacity"],
  scenicSpotName: ["景区名称", "Scenic spot"],
  scenicSpotNameHelp: ["与地图上的名称完全一致", "Exactly its name on the map"],
  maxCapacity: ["最大承载量", "Maximum capacity"],
  visitors: ["人", "visitors"],
  empty: ["还没有设置承载量", "No capacities yet"],
  emptyAbout: ["为每个景区设置一个上限。", "Set one for each scenic spot."],
});
