import { normalize, stripUnit } from "./headings.ts";
import type { TextRow } from "./layout.ts";

/** Another product whose attendance exports people send. */
export type Product = "wecom" | "feishu";

// The names of WeCom's sheets, and what its reports are called in their first row.
const WECOM_WORDS = /^(?:概况统计与打卡明细|打卡详情|上下班打卡_?(?:日报|月报)|打卡(?:日报|月报))/;
const OWN_TITLE = /统计日期|报表生成时间/;
// Headings without their units that the platform of our exports does not have. Two of them tell.
const HEADINGS: Readonly<Record<Product, RegExp>> = {
  wecom:
    /^(?:账号|所属规则|最早|最晚|打卡次数|标准工作时长|实际工作时长|假勤申请|校准状态|实际打卡时间|打卡状态|应打卡天数|正常天数|异常天数)$/,
  feishu:
    /^(?:休息或未排班天数|实际出勤天数|实际出勤时长|应出勤时长|班内工作时长|缺勤时长|缺卡次数|人员类型|员工状态|[上下]班\d?打卡地点|[上下]班\d?修改原因)$/,
};
const ENOUGH = 2;

/** Which other product's export the first rows of a sheet are from, or undefined. */
export function findProduct(name: string, rows: readonly TextRow[]): Product | undefined {
  const texts = rows.flatMap((row) => row.texts).filter((text) => text !== "");
  if (WECOM_WORDS.test(normalize(name)) || texts.slice(0, 2).some((text) => WECOM_WORDS.test(normalize(text))))
    return "wecom";
  const headings = new Set(texts.map(stripUnit));
  if (headings.has("userid") || texts.some((text) => OWN_TITLE.test(text))) return undefined;
  const count = (product: Product): number => [...headings].filter((text) => HEADINGS[product].test(text)).length;
  const [wecom, feishu] = [count("wecom"), count("feishu")];
  if (Math.max(wecom, feishu) < ENOUGH) return undefined;
  return wecom > feishu ? "wecom" : "feishu";
}
