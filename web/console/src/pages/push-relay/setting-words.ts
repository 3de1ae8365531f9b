export const settingWords: Readonly<Record<string, string>> = {
  PUSH_ALLOWED_NETWORKS: "允许推送的内网网段，以逗号分隔；不设则不向内网地址推送",
  PUSH_RETRY_SECONDS: "每次推送失败到下一次重试的秒数，各有 ±20% 的浮动",
  PUSH_TIMEOUT_SECONDS: "推送项目应答一次推送的时限（秒）",
  PUSH_CONCURRENCY: "每个进程对同一项目同时进行的推送数",
  PUSH_LEASE_SECONDS: "进程领取推送后保留的秒数；进程中断后由其他进程接手",
  PUSH_PULL_SECONDS: "接收方拉取后须在多少秒内确认；逾期重新发放",
  PUSH_POLL_MS: "进程查看新推送的间隔（毫秒）",
  PUSH_KEEP_DELIVERED_DAYS: "已送达的推送在日志中保留的天数",
  PUSH_KEEP_DEAD_DAYS: "投递失败的推送在日志中保留的天数",
  PUSH_FLAG_DAYS: "持续失败多少天后标记该项目",
};
