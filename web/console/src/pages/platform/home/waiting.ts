import { tellOldest, waits } from "#console/shell/waiting.ts";
import { currentLanguage } from "#shared/language/language.ts";
import { platform } from "#shared/api/platform.ts";

const oldest = { state: "open", orderField: "openTime", order: "asc", curPage: 1, pageSize: 1 } as const;

export const platformWaiting = [
  waits(
    platform.listAlerts,
    [platform.muteAlert],
    () => ({ query: oldest }),
    (page) =>
      tellOldest(page, { zh: "未结束的告警", en: "Open alerts" }, ({ title, sinceTime }) => ({
        first: title[currentLanguage()],
        since: sinceTime,
        to: "/platform/alerts?state=open",
      })),
  ),
];
