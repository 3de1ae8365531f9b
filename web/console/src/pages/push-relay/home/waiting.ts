import { tellAll, tellOldest, waits } from "#console/shell/waiting.ts";
import { pushRelay } from "#shared/api/push-relay.ts";

const dead = { status: "dead", orderField: "createTime", order: "asc", curPage: 1, pageSize: 1 } as const;

export const pushRelayWaiting = [
  waits(
    pushRelay.listProjects,
    [pushRelay.pauseProject],
    () => ({}),
    (projects) =>
      tellAll(
        projects
          .filter(({ flagged, paused }) => flagged && !paused)
          .toSorted((one, other) => (one.lastSuccessTime ?? "").localeCompare(other.lastSuccessTime ?? "")),
        { zh: "持续失败的推送项目", en: "Projects that keep failing" },
        ({ id, project, lastSuccessTime }) => ({
          first: project,
          since: lastSuccessTime,
          to: `/push-relay/projects?open=${id}`,
        }),
      ),
  ),
  waits(
    pushRelay.listDeliveries,
    [pushRelay.replayDeliveries],
    () => ({ query: dead }),
    (page) =>
      tellOldest(page, { zh: "失败的投递", en: "Failed deliveries" }, ({ createTime }) => ({
        since: createTime,
        to: "/push-relay/deliveries?status=dead",
      })),
  ),
];
