import { faultWords } from "#console/blocks/sending-fault.ts";
import { defineTexts } from "#shared/language/language.ts";

export const texts = defineTexts({
  alerts: ["告警", "Alerts"],
  alertsAbout: [
    "每分钟检查一次；每项告警开始与恢复时，各向渠道通知一次。",
    "Checked every minute. Channels are told once when an alert begins, and once when it is over.",
  ],
  actions: ["操作", "Actions"],
  state: ["状态", "Status"],
  states: { open: ["告警中", "Open"], over: ["已恢复", "Over"] },
  muted: ["已静音", "Muted"],
  condition: ["条件", "Condition"],
  says: ["情况", "What is wrong"],
  openTime: ["告警时间", "Alert since"],
  overTime: ["恢复时间", "Over since"],
  told: ["已通知", "Told"],
  nobody: ["未通知", "Nobody"],
  noAlerts: ["没有告警", "No alerts"],
  noAlertsAbout: [
    "一切正常。有项目持续失败、任务失败、磁盘不足等情况时会列在这里。",
    "All is well. Projects that keep failing, failed jobs, a disk that runs full and the like are listed here.",
  ],
  see: ["查看", "See"],
  seeAlert: (what: string) => [`查看告警：${what}`, `See the alert: ${what}`],
  alert: ["告警详情", "Alert"],
  since: ["开始时间", "Began"],
  remedy: ["如何处理", "What to do"],
  mute: ["静音", "Mute"],
  muteAbout: [
    "静音期间不通知任何渠道，再次出现时也不通知。",
    "While it is muted nobody is told, even if it comes back.",
  ],
  muteUntil: ["静音至", "Mute"],
  untils: {
    hour: ["1 小时后", "For an hour"],
    day: ["1 天后", "For a day"],
    over: ["恢复为止", "Until it is over"],
  },
  reason: ["原因", "Reason"],
  mutedBy: (name: string, until: string | null, reason: string) => [
    `${name} 静音至${until === null ? "恢复" : ` ${until}`}：${reason}`,
    `By ${name} until ${until ?? "it is over"}: ${reason}`,
  ],
  unmute: ["取消静音", "Unmute"],
  mutedDone: ["已静音", "Muted"],
  unmutedDone: ["已取消静音", "Unmuted"],
  toldOpen: (time: string) => [`${time} 通知`, `told ${time}`],
  toldOver: (time: string) => [`${time} 通知恢复`, `told that it is over ${time}`],
  toldLine: (channel: string, times: readonly string[]) => [
    `${channel}：${times.join("，")}`,
    `${channel}: ${times.join(", ")}`,
  ],
  channels: {
    webhook: ["Webhook", "Webhook"],
    mail: ["邮件", "Mail"],
    wecom: ["企业微信机器人", "WeCom robot"],
    dingtalk: ["钉钉机器人", "DingTalk robot"],
  },
  testChannels: ["测试渠道", "Test channels"],
  testAbout: [
    "立即向设置中的每个渠道（ALERT_…）发送一条测试消息。",
    "Sends a test message now to every channel of the settings (ALERT_…).",
  ],
  noChannels: ["未设置告警渠道", "No channel is set"],
  delivered: (channel: string, ms: number) => [
    `${channel}：已送达，用时 ${ms} 毫秒`,
    `${channel}: delivered in ${ms} ms`,
  ],
  undelivered: (channel: string, error: string) => [
    `${channel}：未送达，${error}`,
    `${channel}: not delivered. ${error}`,
  ],
  faults: [faultWords.zh, faultWords.en],
  saidNothing: ["对方的应答没有内容", "The response is empty"],
});
