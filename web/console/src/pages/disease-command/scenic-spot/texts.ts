import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["景区概况", "Scenic spots"],
  one: ["景区", "scenic spot"],
  scenicSpotName: ["景区名称", "Name"],
  scenicSpotNameHelp: ["与地图上的名称完全一致", "Exactly its name on the map"],
  scenicSpotDesc: ["景区简介", "Description"],
  responsibler: ["负责人", "Person in charge"],
  responsiblerPhone: ["负责人电话", "Contact phone"],
  numOfEmergencyCrew: ["应急人员", "Emergency crew"],
  persons: ["人", "people"],
  numOfEmergencMaterial: ["应急物资", "Emergency material"],
  items: ["件", "items"],
  image: ["景区图片", "Image"],
  urlOfVr: ["VR 全景", "VR panorama"],
  urlOfVrHelp: [
    "http 或 https 地址，或以 / 开头的路径，可不填",
    "An http or https address, or a path starting with /; optional",
  ],
  openVr: ["打开全景", "Open panorama"],
  empty: ["还没有景区", "No scenic spots yet"],
  emptyAbout: [
    "新建景区并上传图片后，会显示在大屏上。",
    "Add a scenic spot with an image, and it appears on the big screen.",
  ],
});
