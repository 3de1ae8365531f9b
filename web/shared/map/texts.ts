import { countOf } from "#platform/contract/language.ts";
import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  zoomIn: ["放大", "Zoom in"],
  zoomOut: ["缩小", "Zoom out"],
  pickAbout: [
    "单击选点；用方向键移动地图，按回车选取中心",
    "click to pick a position; use the arrow keys to move the map and Enter to pick its centre",
  ],
  here: ["您的位置", "You are here"],
  several: (count: number) => [`${count} 处，放大查看`, `${countOf(count, "place")}, zoom in to see them`],
  waiting: ["地图加载中…", "The map is loading…"],
  failed: ["地图加载失败。", "Loading the map failed."],
  retry: ["重试", "Retry"],
});
