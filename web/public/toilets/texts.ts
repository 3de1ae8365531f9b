import { countOf } from "#platform/contract/language.ts";
import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  title: ["附近公厕", "Nearby toilets"],
  locate: ["定位", "Locate"],
  locateAgain: ["重新定位", "Locate again"],
  asking: ["正在定位…", "Locating…"],
  position: {
    unasked: ["按“定位”后由近到远排列。", "Press Locate to see the nearest first."],
    denied: [
      "没有获得位置权限：请在浏览器或系统设置中允许本页使用位置，再按“定位”。",
      "This page has no permission to use your location: allow it in the settings of the browser or phone, then press Locate.",
    ],
    unavailable: [
      "设备暂时无法定位。可到开阔处再试。",
      "The device cannot determine its location. Try again outdoors.",
    ],
    late: ["定位超时。可到开阔处再试。", "Finding your location took too long. Try again outdoors."],
    insecure: [
      "本页不是经 HTTPS 打开的，浏览器不提供位置。",
      "This page was not opened over HTTPS, so the browser does not provide your location.",
    ],
  },
  nearestFirst: (accuracy: number) => [
    accuracy > 200 ? `由近到远，位置误差约 ${Math.round(accuracy)} 米` : "由近到远",
    accuracy > 200 ? `Nearest first; location accurate to about ${Math.round(accuracy)} m` : "Nearest first",
  ],
  ownOrder: ["按默认顺序", "In the default order"],
  count: (count: number) => [`${count} 座开放的公厕`, countOf(count, "open toilet")],
  metres: (metres: number) => [`${metres} 米`, `${metres} m`],
  kilometres: (kilometres: string) => [`${kilometres} 公里`, `${kilometres} km`],
  wanted: ["只看有这些设施的公厕", "Only toilets with these facilities"],
  barrierFree: ["无障碍", "Barrier-free"],
  third: ["第三卫生间", "Family restroom"],
  facilities: ["设施", "Facilities"],
  men: (count: number) => [`男 ${count}`, `Men ${count}`],
  women: (count: number) => [`女 ${count}`, `Women ${count}`],
  common: (count: number) => [`通用 ${count}`, `Unisex ${count}`],
  barrierFreeCount: (count: number) => [`无障碍 ${count}`, `Barrier-free ${count}`],
  thirdCount: (count: number) => [`第三卫生间 ${count}`, `Family restrooms ${count}`],
  linked: ["已接入实时数据", "Linked to real-time data"],
  free: (count: number) => [
    count === 0 ? "实时：暂无空位" : `实时：空闲 ${count} 位`,
    count === 0 ? "Live: none free" : `Live: ${count} free`,
  ],
  readAt: (time: string) => [`实时数据更新于 ${time}`, `Live data updated at ${time}`],
  navigate: ["导航", "Navigate"],
  navigateTo: (name: string) => [`导航到${name}`, `Navigate to ${name}`],
  onMap: ["地图", "Map"],
  onMapOf: (name: string) => [`在地图上看${name}`, `${name} on the map`],
  app: ["导航用", "Navigate with"],
  apps: { phone: ["手机自带地图", "The phone's maps"], amap: ["高德地图", "Amap"] },
  more: ["再显示 50 座", "Show 50 more"],
  map: ["地图", "Map"],
  noMap: ["城市地图读取失败。", "The city's map could not be read."],
  noFacilities: [
    "暂时无法读取公厕的地址与设施，不能筛选。",
    "Addresses and facilities could not be read, so filtering is not available.",
  ],
  empty: ["还没有开放的公厕。", "No toilet is open yet."],
  noneFits: ["没有符合条件的公厕。", "No toilets match the selected facilities."],
  showAll: ["显示全部", "Show all"],
});
