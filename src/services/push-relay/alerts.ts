import type { AlertCondition } from "#platform/process/alert.ts";
import { formatDateTime } from "#platform/contract/times.ts";
import { listFlaggedProjects, listLateProjects, type TroubledProject } from "./alert-store.ts";
import type { RelaySettings } from "./settings.ts";

const figuresOf = ({ pending }: TroubledProject) => ({ pending });

const projectFlagged: AlertCondition<RelaySettings> = {
  name: "project-flagged",
  title: { zh: "推送项目持续失败", en: "A project has been failing" },
  remedy: {
    zh: "在推送项目页发送测试，联系该项目的负责人",
    en: "Send the project a test, and speak to whoever runs it",
  },
  part: "relay",
  find: async ({ platform: { pool, settings } }) =>
    (await listFlaggedProjects(pool, settings.PUSH_FLAG_DAYS)).map((project) => {
      const since = formatDateTime(project.since, settings.TIME_ZONE);
      return {
        subject: String(project.id),
        says: {
          zh: `项目“${project.name}”自 ${since} 起推送全部失败`,
          en: `Every push to the project "${project.name}" has failed since ${since}`,
        },
        figures: figuresOf(project),
      };
    }),
};

const pushOld: AlertCondition<RelaySettings> = {
  name: "push-old",
  title: { zh: "推送积压", en: "Pushes wait for too long" },
  remedy: {
    zh: "查看该项目的投递日志；接收方恢复后会按顺序补发",
    en: "See the project's log; once the receiver is back, all of it follows in order",
  },
  threshold: { unit: { zh: "分钟", en: "minutes" }, least: 1, most: 10_080, standard: 30 },
  find: async ({ platform: { pool, settings }, threshold }) =>
    (await listLateProjects(pool, threshold)).map((project) => {
      const since = formatDateTime(project.since, settings.TIME_ZONE);
      return {
        subject: String(project.id),
        says: {
          zh: `项目“${project.name}”最早的待投递自 ${since} 起等待`,
          en: `The oldest push to the project "${project.name}" has been waiting since ${since}`,
        },
        figures: figuresOf(project),
      };
    }),
};

/** What operators are told of the relay. */
export const relayAlerts: readonly AlertCondition<RelaySettings>[] = [projectFlagged, pushOld];
