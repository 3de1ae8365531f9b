import { diseaseCommand } from "#shared/api/disease-command.ts";
import type { Page } from "#console/shell/section.ts";

/** Most lists are public, for the big screen, but their console pages require the right to read. */
const reading = { who: "administrator", service: "disease-command", method: "GET" } as const;
const hospitals = { ...reading, scoped: true, dimension: "hospitalName" } as const;
const toilets = { ...reading, scoped: true, dimension: "itemNo" } as const;

export const diseaseCommandPages: readonly Page[] = [
  {
    path: "overview",
    title: { zh: "大屏总览", en: "Big screen" },
    needs: reading,
    load: async () => (await import("#console/pages/disease-command/overview/overview-page.tsx")).OverviewPage,
  },
  {
    path: "fever-clinics",
    title: { zh: "发热门诊", en: "Fever clinics" },
    needs: hospitals,
    load: async () =>
      (await import("#console/pages/disease-command/fever-clinic/fever-clinics-page.tsx")).FeverClinicsPage,
  },
  {
    path: "fever-clinics/trend",
    title: { zh: "发热门诊趋势", en: "Fever-clinic trend" },
    needs: hospitals,
    hidden: true,
    load: async () => (await import("#console/pages/disease-command/fever-clinic/fever-trend-page.tsx")).FeverTrendPage,
  },
  {
    path: "detection",
    title: { zh: "检测统计", en: "Detection" },
    needs: reading,
    load: async () => (await import("#console/pages/disease-command/detection/detection-page.tsx")).DetectionPage,
  },
  {
    path: "detection/trend",
    title: { zh: "检测趋势", en: "Detection trend" },
    needs: reading,
    hidden: true,
    load: async () =>
      (await import("#console/pages/disease-command/detection/detection-trend-page.tsx")).DetectionTrendPage,
  },
  {
    path: "broadcasts",
    title: { zh: "应急广播", en: "Broadcasts" },
    needs: reading,
    load: async () => (await import("#console/pages/disease-command/broadcast/broadcasts-page.tsx")).BroadcastsPage,
  },
  {
    path: "teams",
    title: { zh: "应急队伍", en: "Emergency teams" },
    needs: diseaseCommand.listTeams,
    load: async () => (await import("#console/pages/disease-command/emergency-team/teams-page.tsx")).TeamsPage,
  },
  {
    path: "members",
    title: { zh: "应急队员", en: "Team members" },
    needs: diseaseCommand.listMembers,
    load: async () => (await import("#console/pages/disease-command/emergency-team/members-page.tsx")).MembersPage,
  },
  {
    path: "plans",
    title: { zh: "活动策划", en: "Activity plans" },
    needs: reading,
    load: async () => (await import("#console/pages/disease-command/event-planning/plans-page.tsx")).PlansPage,
  },
  {
    path: "plans/calendar",
    title: { zh: "活动月历", en: "Activity calendar" },
    needs: reading,
    hidden: true,
    load: async () =>
      (await import("#console/pages/disease-command/event-planning/plan-calendar-page.tsx")).PlanCalendarPage,
  },
  {
    path: "month-summaries",
    title: { zh: "月度总结", en: "Month summaries" },
    needs: reading,
    load: async () =>
      (await import("#console/pages/disease-command/month-summary/month-summaries-page.tsx")).MonthSummariesPage,
  },
  {
    path: "scenic-spots",
    title: { zh: "景区概况", en: "Scenic spots" },
    needs: reading,
    load: async () =>
      (await import("#console/pages/disease-command/scenic-spot/scenic-spots-page.tsx")).ScenicSpotsPage,
  },
  {
    path: "capacities",
    title: { zh: "景区承载量", en: "Spot capacities" },
    needs: diseaseCommand.listCapacities,
    load: async () => (await import("#console/pages/disease-command/capacity/capacities-page.tsx")).CapacitiesPage,
  },
  {
    path: "consumption",
    title: { zh: "消费分类统计", en: "Consumption" },
    needs: reading,
    load: async () => (await import("#console/pages/disease-command/consumption/consumption-page.tsx")).ConsumptionPage,
  },
  {
    path: "toilets",
    title: { zh: "公厕管理", en: "Toilets" },
    needs: toilets,
    load: async () => (await import("#console/pages/disease-command/toilet/toilets-page.tsx")).ToiletsPage,
  },
  {
    path: "map",
    title: { zh: "城市地图", en: "City map" },
    needs: reading,
    load: async () => (await import("#console/pages/disease-command/map/city-map-page.tsx")).CityMapPage,
  },
  {
    path: "themes",
    title: { zh: "大屏主题", en: "Themes" },
    needs: reading,
    load: async () => (await import("#console/pages/disease-command/theme/themes-page.tsx")).ThemesPage,
  },
  {
    path: "administrators",
    title: { zh: "管理员", en: "Administrators" },
    needs: diseaseCommand.listAdministrators,
    load: async () =>
      (await import("#console/pages/disease-command/administrators/administrators-page.tsx")).AdministratorsPage,
  },
];
