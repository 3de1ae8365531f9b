import { defineTexts } from "#shared/language/language.ts";

export const useTexts = defineTexts({
  title: ["发热门诊填报", "Fever-clinic figures"],
  userName: ["用户名", "User name"],
  password: ["密码", "Password"],
  signIn: ["登录", "Sign in"],
  signOut: ["退出登录", "Sign out"],
  ended: ["登录已失效，请重新登录。", "Your session is no longer valid. Please sign in again."],
  noHospital: [
    "此账号没有指定医院，请由管理员在账号的数据范围中选择医院。",
    "This account has no hospital. Ask an administrator to choose a hospital in the account's scope of records.",
  ],
  first: [
    "此账号需先在管理后台修改初始密码或完成两步验证。",
    "This account must first change its initial password or complete two-step verification in the console.",
  ],
  toConsole: ["前往管理后台", "Go to the console"],
  hospital: ["医院", "Hospital"],
  today: (day: string) => [`今天 ${day}`, `Today ${day}`],
  yesterday: (day: string) => [`昨天 ${day}`, `Yesterday ${day}`],
  figures: {
    feverClinicCount: ["发热门诊人数", "Fever patients"],
    epidemicCount: ["有流行病学史人数", "With an epidemiological history"],
  },
  of: (figure: string, day: string) => [`${day} ${figure}`, `${figure}, ${day}`],
  wrong: ["请填写两项人数，应为 0 或正整数。", "Enter both figures as whole numbers, 0 or more."],
  send: ["上报", "Submit"],
  unchanged: ["没有改动", "No changes"],
  sent: ["已上报。", "The figures have been submitted."],
  unlike: (what: string, figure: string, usual: string) => [
    `${what}填的是 ${figure}，近四周通常约 ${usual}。`,
    `${what}: ${figure} entered; usually about ${usual} in the last four weeks.`,
  ],
  isSo: ["确定无误，上报", "The figures are correct, submit"],
  back: ["返回修改", "Change"],
  last: ["最近 14 天", "The last 14 days"],
  day: ["日期", "Day"],
  none: ["未报", "not reported"],
});
