import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  health: ["运行状态", "Health"],
  healthy: ["正常", "Healthy"],
  degraded: (parts: string) => [`${parts} 需要关注`, `${parts}: needs attention`],
  sessions: ["在线会话", "Active sessions"],
  jobs: ["等待的后台任务", "Jobs waiting"],
  sessionUnit: ["个", ""],
  jobUnit: ["项", ""],
});
