import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  title: ["公厕管理", "Toilets"],
  map: ["开放公厕地图", "Map of the open toilets"],
  one: ["公厕", "toilet"],
  keyword: ["名称或地址", "Name or address"],
  name: ["公厕名称", "Name"],
  addrDesc: ["地址描述", "Address"],
  level: ["建设等级", "Building grade"],
  area: ["建筑面积（平方米）", "Area (m²)"],
  numOfBarrierFree: ["无障碍厕位", "Barrier-free stalls"],
  numOfThird: ["第三卫生间", "Family restrooms"],
  numOfMan: ["男厕位", "Men's stalls"],
  numOfWoman: ["女厕位", "Women's stalls"],
  numOfCommon: ["通用厕位", "Unisex stalls"],
  stalls: ["个", "stalls"],
  longitudeAndLatitude: ["位置（经度,纬度）", "Position (longitude,latitude)"],
  itemNo: ["公厕编号", "Toilet no."],
  status: ["状态", "Status"],
  statuses: { "1": ["开放", "Open"], "2": ["未开放", "Closed"] },
  sort: ["排序", "Sort order"],
  sortHelp: ["数字小的排在前面", "Lower numbers come first"],
  empty: ["还没有公厕", "No toilets yet"],
  emptyAbout: [
    "新建时在地图上选点，开放的公厕会显示在大屏上。",
    "Add a toilet and pick its position on the map. Open toilets appear on the big screen.",
  ],
});
