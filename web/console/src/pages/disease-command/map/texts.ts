import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    zoomIn: "放大",
    zoomOut: "缩小",
    pickAbout: "单击选点；用方向键移动地图，按回车选取中心",
    longitude: "经度",
    latitude: "纬度",
    positionHelp: "在地图上单击或拖动图钉选点，也可以直接填写；可粘贴“经度,纬度”。",
    missing: "请在地图上选点，或填写经度和纬度",
    map: "地图",
  },
  {
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    pickAbout: "click to pick a position; use the arrow keys to move the map and Enter to pick its centre",
    longitude: "Longitude",
    latitude: "Latitude",
    positionHelp: "Click the map or drag the pin, or type the values; “longitude,latitude” can be pasted too.",
    missing: "Pick a position on the map, or type longitude and latitude",
    map: "Map",
  },
);
