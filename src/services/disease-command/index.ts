import type { ConstraintProblems } from "#platform/contract/problem.ts";
import { openSemaphore } from "#platform/jobs/semaphore.ts";
import type { Platform } from "#platform/process/platform.ts";
import { defineService, type Service, type ServiceModule, type WebPage } from "#platform/process/service.ts";
import { openChanges } from "./changes.ts";
import { hospitalSilent } from "./conditions.ts";
import { diseaseCommand } from "./contract.ts";
import { diseaseNotices } from "./notices.ts";
import { oldRecords } from "./old-records.ts";
import { persons } from "./person-store.ts";
import { capacities, scenicSpots, toilets } from "./place-store.ts";
import { monthSummaries } from "./planning-store.ts";
import { fileFolder } from "./record-store.ts";
import { diseaseCommandHandlers } from "./routes.ts";
import { teams, themes } from "./screen-store.ts";
import { detections, feverClinics } from "./statistics-store.ts";

export const diseaseCommandModule: ServiceModule = {
  contract: diseaseCommand,
  setup: [
    {
      name: "city-map",
      title: { zh: "上传城市地图", en: "Upload the city's map" },
      about: { zh: "指挥大屏按此文件显示地图", en: "The command screen displays this map" },
      page: "/disease-command/map",
      isDone: ({ pool }) => pool.value<boolean>`select exists (select from disease_command.city_map)`,
    },
  ],
  create: createDiseaseCommand,
  conditions: [hospitalSilent],
  notices: diseaseNotices,
  persons,
  oldRecords,
  toFileReference: (settings, upload) => fileFolder(settings) + upload,
  dimensionColumns: { hospitalName: [feverClinics.table, "hospital"], itemNo: [toilets.table, "item_number"] },
};

const uniqueKeys = [capacities, detections, feverClinics, monthSummaries, scenicSpots, teams, themes, toilets].flatMap(
  ({ unique = {} }) => Object.entries(unique),
);

const constraints: ConstraintProblems = {
  ...Object.fromEntries(uniqueKeys.map(([name, field]) => [name, { problem: "alreadyExists" as const, field }])),
  emergency_team_member_team_fkey: "notFound",
};

function createDiseaseCommand(platform: Platform): Service {
  const changes = openChanges(platform.pool);
  const importTurns = openSemaphore({ permits: 1 });
  return defineService(diseaseCommand, diseaseCommandHandlers(platform, changes, importTurns), {
    constraints,
    pages: pages(platform),
    settle: () => importTurns.whenIdle(),
    prepare: () => changes.listen(),
  });
}

const pages = ({ settings: { MAP_DATUM } }: Platform): readonly WebPage[] => [
  {
    entry: "public/toilets",
    paths: ["/h5/toilets/"],
    title: { zh: "附近公厕", en: "Nearby toilets" },
    about: {
      zh: "最近的开放公厕、无障碍设施与导航",
      en: "The nearest open toilets, their facilities, and directions",
    },
    // The page needs the datum to measure distances, even before the first map is uploaded.
    told: { datum: MAP_DATUM },
  },
  {
    entry: "public/clinic",
    paths: ["/h5/clinic/"],
    title: { zh: "发热门诊填报", en: "Fever-clinic figures" },
    about: { zh: "医院每天上报今天和昨天的人数", en: "Hospitals report today's and yesterday's figures" },
  },
  {
    entry: "screen",
    paths: ["/screen/"],
    title: { zh: "疫情防控与应急指挥大屏", en: "Epidemic control and emergency command" },
    about: {
      zh: "指挥中心大屏：广播、检测、门诊、景区与公厕",
      en: "The command centre's screen: broadcasts, tests, clinics, scenic spots and toilets",
    },
  },
];
