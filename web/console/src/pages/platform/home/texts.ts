import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts(
  {
    health: "运行状态",
    healthy: "正常",
    degraded: (parts: string) => `${parts} 需要关注`,
    alerts: "告警",
    alertUnit: "项",
    sessions: "在线会话",
    jobs: "等待的后台任务",
    sessionUnit: "个",
    jobUnit: "项",
  },
  {
    health: "Health",
    healthy: "Healthy",
    degraded: (parts: string) => `${parts}: needs attention`,
    alerts: "Alerts",
    alertUnit: "",
    sessions: "Active sessions",
    jobs: "Jobs waiting",
    sessionUnit: "",
    jobUnit: "",
  },
);
