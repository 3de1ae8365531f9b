import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    zoomIn: "放大",
    zoomOut: "缩小",
    pickAbout: "单击选点；用方向键移动地图，按回车选取中心",
    here: "您的位置",
    several: (count: number) => `${count} 处，放大查看`,
    waiting: "地图加载中…",
    failed: "地图未能加载。",
    retry: "重试",
  },
  {
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    pickAbout: "click to pick a position; use the arrow keys to move the map and Enter to pick its centre",
    here: "You are here",
    several: (count: number) => `${count} places, zoom in to see them`,
    waiting: "The map is loading…",
    failed: "The map has not loaded.",
    retry: "Retry",
  },
);
