import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { contracts } from "#quintet/app.ts";

const source = fileURLToPath(new URL("../../", import.meta.url));

interface Word {
  readonly zh: string;
  readonly en: string;
  readonly not: readonly string[];
}

const table = `
操作员 | operator | 平台操作员, 运维, 联系管理员, tell the administrator
账号 | account | 帐号, 帐户
用户名 | user name | 登录名, username
已停用 | disabled | 已冻结, frozen
状态 | status | "State"
正常 | healthy | "Fine", needs a look
默认值 | default | "Standard"
运行状态 | health | 运行状况
新建 | new | 新增一, "Add new"
删除 | delete | "Remove user"
关键词 | keyword | 关键字
应答 | response | 响应, answer
投递失败 | failed | 死信, "Dead", dead letter
投递记录 | deliveries | 推送记录
签名密钥 | secret | 签名秘钥
对象编号 | subject | "About", whole number
员工信息 | employee info | 人员身份, 人员信息, "Identities"
身份证号 | identity card number | 身份证号码, id number
考勤组 | attendance group | "Group"
工号 | employee no. | 员工编号
异常地点 | off site | 异地
报备人 | submitter | 提交人, 提交者, reporter
审核结果 | verdict | 判定结果, judgement
缴费信息 | payables | 应缴信息
收费年度 | charging year | 缴费年度
订单 | order | 支付单, 缴费单
支付渠道 | gateway | 支付方式, 支付网关, payment method
对账 | reconciliation | 核账, reconcilement
收缴统计 | totals | 缴费统计, 收费统计
待处理 | unprocessed | to process
公厕 | toilet | 厕所, 卫生间管理
景区 | scenic spot | 景点
承载量 | capacity | 容量上限
消费分类 | category | 消费类别
发热门诊人数 | fever patients | 人次
人 | people | persons
月度总结 | month summary | 月度小结
活动策划 | activity plan | 活动计划
应急队员 | team member | 应急人员名单
合计 | total | in all
错误 | error | mistake, mend, faulty
错误 | failed | could not be loaded
`;

const words: readonly Word[] = table
  .trim()
  .split("\n")
  .map((line) => {
    const [zh = "", en = "", not = ""] = line.split(" | ");
    return { zh, en, not: not.split(", ") };
  });

const readTexts = (code: string): string[] =>
  [
    ...code
      .replaceAll(/^import .*$/gm, "")
      .replaceAll(/^\s*\/\/.*$/gm, "")
      .matchAll(/"((?:[^"\\\n]|\\.)*)"(?!:)|`((?:[^`\\]|\\.)*)`/g),
  ]
    .map(([, plain, template = ""]) => plain ?? template)
    .filter((text) => text !== "");

async function listTexts(): Promise<{ file: string; text: string }[]> {
  const found: { file: string; text: string }[] = [];
  for await (const file of glob(
    "{console/src,public,screen,shared}/**/{texts,figure-names,action-names,setting-words,section,pages}.{ts,tsx}",
    { cwd: source },
  ))
    for (const text of readTexts(await readFile(`${source}/${file}`, "utf8"))) found.push({ file, text });
  for (const { name, title, about } of contracts)
    for (const text of [title.zh, title.en, about.zh, about.en]) found.push({ file: `the contract of ${name}`, text });
  return found;
}

const texts = await listTexts();

const isLatin = (word: string): boolean => /^[\w ."-]+$/.test(word);

/**
 * Whether a text contains a term: Chinese anywhere, English as a whole word, ignoring case. A term in quotation marks
 * must be the whole text.
 */
function hasWord(text: string, word: string): boolean {
  const whole = /^"(.*)"$/.exec(word)?.[1];
  if (whole !== undefined) return text === whole;
  return isLatin(word) ? new RegExp(`\\b${word}\\b`, "i").test(text) : text.includes(word);
}

test("every thing has one word, in both languages", () => {
  assert.ok(words.length > 30 && texts.length > 2000, "the test must have read the table and the texts");
  const wrong = words.flatMap(({ zh, en, not }) =>
    not.flatMap((word) =>
      texts
        .filter(({ text }) => hasWord(text, word))
        .map(({ file, text }) => `${file}: ${text} (${isLatin(word) ? en : zh}, not ${word})`),
    ),
  );
  assert.deepEqual(wrong, []);
});

test("the words of the table are those that are used", () => {
  const unused = words.flatMap(({ zh, en }) =>
    [zh, en.replace(/\.$/, "")].filter(
      (word) => !texts.some(({ text }) => text.toLowerCase().includes(word.toLowerCase())),
    ),
  );
  assert.deepEqual(unused, []);
});

test("English texts hold no Chinese punctuation", async () => {
  const english = texts.filter(({ text }) => !/\p{Script=Han}/u.test(text));
  assert.deepEqual(
    english.filter(
      ({ text }) => /[，。：；、（）？！]/.test(text) && /[a-z]{3}/i.test(text.replaceAll(/\$\{[^}]*\}/g, "")),
    ),
    [],
  );
});
