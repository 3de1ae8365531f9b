import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  longitude: ["经度", "Longitude"],
  latitude: ["纬度", "Latitude"],
  positionHelp: [
    "在地图上单击或拖动图钉选点，也可以直接填写；可粘贴“经度,纬度”。",
    "Click the map or drag the pin, or type the values; “longitude,latitude” can be pasted too.",
  ],
  map: ["地图", "Map"],
  title: ["城市地图", "City map"],
  count: (features: number) => [`共 ${features} 个区域和地点`, `${features} areas and places`],
  upload: ["上传地图", "Upload a map"],
  save: ["保存地图", "Save the map"],
  uploadAbout: [
    "GeoJSON 文件（FeatureCollection），由区域和地点组成，每个都有名称 properties.name 且不重复。新地图会替换原来的地图。",
    "A GeoJSON file (FeatureCollection) of areas and places, each with a name of its own in properties.name. It replaces the map before it.",
  ],
  datum: ["文件的坐标系", "Coordinates of the file"],
  datumHelp: [
    "高德、腾讯等国内地图的数据为 GCJ-02；卫星定位、天地图和多数测绘数据为 WGS 84。选错时地图会偏移数百米。",
    "Data of Chinese map services are in GCJ-02; satellite positions and most surveys are in WGS 84. The wrong choice moves the map by some hundred metres.",
  ],
  datums: {
    gcj02: ["GCJ-02（国内地图）", "GCJ-02 (Chinese maps)"],
    wgs84: ["WGS 84（卫星定位）", "WGS 84 (satellites)"],
  },
  saved: (features: number) => [
    `已保存 ${features} 个区域和地点，大屏和手机页面随即更新。`,
    `${features} areas and places are saved; the big screen and the phone pages show them at once.`,
  ],
  noMap: ["还没有城市地图。", "There is no map of the city yet."],
  noMapAbout: [
    "上传城市的 GeoJSON 后，大屏、公厕页面和选点都会显示它；景区按名称出现在地图上。",
    "Once its GeoJSON is uploaded, the big screen, the toilets page and the position fields show it, and scenic spots stand on it by their names.",
  ],
  toMap: ["上传地图", "Upload a map"],
  spots: ["景区地图", "Map of the scenic spots"],
  missingSpots: (spots: number) => [
    `有 ${spots} 个景区在地图上没有同名区域，不会显示在大屏地图上。`,
    spots === 1
      ? "1 scenic spot has no feature of its name on the map, so the screen's map lacks it."
      : `${spots} scenic spots have no feature of their name on the map, so the screen's map lacks them.`,
  ],
  toMismatches: ["查看名称", "See the names"],
  spotsAlone: ["地图上没有的景区", "Scenic spots that the map lacks"],
  spotsAloneAbout: (spots: number) => [
    `${spots} 个景区的名称与地图上的都不完全一致，不会显示在地图上。请修改景区名称，或在地图文件中改名后重新上传。`,
    `${spots} have a name that no feature of the map has exactly, so no map shows them. Rename them, or rename the features in the file and upload it again.`,
  ],
  allMatch: ["所有景区都在地图上。", "Every scenic spot is on the map."],
  showAll: (names: number) => [`显示全部 ${names} 个`, `Show all ${names}`],
  similar: (name: string) => [`地图上有“${name}”，是否指它？`, `The map has “${name}”: is it meant?`],
  toSpots: ["修改景区", "Change scenic spots"],
  featuresAlone: ["没有对应景区的区域", "Features without a scenic spot"],
  featuresAloneAbout: (features: number) => [
    `地图上有 ${features} 个名称没有对应的景区，只显示名称。`,
    `${features} names on the map are of no scenic spot; they are shown as names alone.`,
  ],
});
