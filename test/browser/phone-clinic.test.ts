import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { buildWeb } from "#test/browser/console.ts";
import { openPhoneTests } from "#test/browser/phone.ts";

await buildWeb();
const app = await startTestApp({ services: ["disease-command"] });
const phones = await openPhoneTests(app);
const day = (back: number) => Temporal.Now.plainDateISO("Asia/Shanghai").subtract({ days: back }).toString();
const all = await app.signIn("disease-command", { isSuper: true });
const datas = ["一院", "二院"].flatMap((hospitalName) =>
  Array.from({ length: 27 }, (_, back) => ({
    statisticsDate: day(back + 1),
    hospitalName,
    feverClinicCount: 11 + (back % 3),
    epidemicCount: 1,
  })),
);
const saved = await app.call("POST", "/disease-command/feverClinicOfHospitalStatistics/save", {
  token: all.token,
  body: { datas },
});
assert.equal(saved.json.code, "0");
const hospital = await app.signIn("disease-command");
await app.pool`update platform.account set scope = '{"hospitalName": ["一院"]}' where id = ${hospital.id}`;
const stored = (back: number) =>
  app.pool.values<number>`
    select fever_patients from disease_command.fever_clinic
    where statistics_date = ${day(back)}::date order by hospital collate "C"`;

test("a hospital sends its day in a few taps, is asked about what is unlike it, and loses nothing", async () => {
  const { page, visit, check } = await phones.open();
  await visit("/h5/clinic/");
  await page.getByLabel("用户名").fill(hospital.userName);
  await page.getByLabel("密码").fill("wrong");
  await page.getByRole("button", { name: "登录", exact: true }).tap();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("密码").fill(hospital.password);
  await page.getByRole("button", { name: "登录", exact: true }).tap();
  await page.getByRole("heading", { name: "一院" }).waitFor();
  assert.equal(await page.getByRole("row").filter({ hasText: "未报" }).count(), 1, "today is not sent yet");
  await check("clinic");
  const box = (figure: string, which: string) =>
    page.getByRole("textbox", { name: new RegExp(`^${which}.*${figure}`) });
  const send = page.getByRole("button", { name: "上报", exact: true });
  await send.tap();
  await page.getByText("没有改动").waitFor();

  const begun = performance.now();
  await box("发热门诊", "今天").fill("13");
  await send.tap();
  await page.getByText("请填写两项人数").waitFor();
  await box("流行病学史", "今天").fill("2");
  await send.tap();
  await page.getByText("已上报。").waitFor();
  assert.ok(performance.now() - begun < 10_000);
  assert.deepEqual(await stored(0), [13]);

  await box("发热门诊", "昨天").fill("110");
  const answered = page.waitForResponse((response) => response.request().method() === "POST");
  await send.tap();
  await answered;
  assert.deepEqual(await stored(1), [110, 11], "not ten times of what is usual");
  await box("发热门诊", "今天").fill("300");
  await send.tap();
  await page.getByText(/今天 .*发热门诊人数填的是 300，近四周通常约 12。/).waitFor();
  await check("clinic-question");
  assert.deepEqual(await stored(0), [13]);
  await page.getByRole("button", { name: "返回修改" }).tap();
  assert.equal(await box("发热门诊", "今天").inputValue(), "300");
  await send.tap();
  await page.getByRole("button", { name: "确定无误，上报" }).tap();
  await page.getByText("已上报。").waitFor();
  assert.deepEqual(await stored(0), [300]);

  await app.call("PUT", "/disease-command/adminInfo/update", {
    token: all.token,
    body: { id: hospital.id, scope: { hospitalName: ["二院"] } },
  });
  await box("发热门诊", "今天").fill("14");
  await send.tap();
  await page.getByText("登录已失效").waitFor();
  assert.equal(await box("发热门诊", "今天").inputValue(), "14");
  assert.deepEqual(await stored(0), [300]);
  await page.getByRole("button", { name: "登录", exact: true }).tap();
  await page.getByLabel("用户名").fill(hospital.userName);
  await page.getByLabel("密码").fill(hospital.password);
  await page.getByRole("button", { name: "登录", exact: true }).tap();
  await page.getByRole("heading", { name: "二院" }).waitFor();
  await box("发热门诊", "今天").fill("15");
  await box("流行病学史", "今天").fill("1");
  await app.pool`delete from platform.session where account_id = ${hospital.id}`;
  await send.tap();
  await page.getByRole("button", { name: "登录", exact: true }).tap();
  await page.getByLabel("用户名").fill(hospital.userName);
  await page.getByLabel("密码").fill(hospital.password);
  await page.getByRole("button", { name: "登录", exact: true }).tap();
  await page.getByRole("heading", { name: "二院" }).waitFor();
  assert.equal(await box("发热门诊", "今天").inputValue(), "15", "what was typed is there after signing in again");
  await page.getByRole("button", { name: "退出登录" }).tap();
  await page.getByLabel("用户名").waitFor();

  const dark = await phones.open({ theme: "dark", locale: "en" });
  await dark.visit("/h5/clinic/");
  await dark.page.getByLabel("User name").fill(all.userName);
  await dark.page.getByLabel("Password").fill(all.password);
  await dark.page.getByRole("button", { name: "Sign in" }).tap();
  await dark.page.getByText("This account has no hospital").waitFor();
  await dark.check("clinic-none");
});

async function enter(phone: Awaited<ReturnType<typeof phones.open>>, scope: readonly string[]) {
  await app.pool`update platform.account set scope = ${JSON.stringify({ hospitalName: scope })}::text::jsonb where id = ${hospital.id}`;
  await phone.visit("/h5/clinic/");
  await phone.page.getByLabel("用户名").fill(hospital.userName);
  await phone.page.getByLabel("密码").fill(hospital.password);
  await phone.page.getByRole("button", { name: "登录", exact: true }).tap();
  await phone.page.getByRole("heading", { name: scope[0] ?? "" }).waitFor();
}

test("figures that cannot be read again after they were sent are not shown as the present ones", async () => {
  const phone = await phones.open();
  const { page } = phone;
  await enter(phone, ["二院"]);
  const box = page.getByRole("textbox", { name: /^昨天.*发热门诊/ });
  await box.fill("12");
  await page.reload();
  assert.equal(await box.inputValue(), "12", "a reload loses nothing");
  await page.route("**/feverClinicOfHospitalStatistics/list*", (route) => route.fulfill({ status: 500 }));
  await page.getByRole("button", { name: "上报", exact: true }).tap();
  await page.getByText("已上报。").waitFor();
  await page.getByRole("button", { name: "重试" }).waitFor();
  await page.unroute("**/feverClinicOfHospitalStatistics/list*");
  await page.getByRole("button", { name: "重试" }).tap();
  const row = page.locator(".clinic-last tr", { hasText: day(1).slice(5) });
  await row.getByRole("cell", { name: "12", exact: true }).waitFor();
  assert.equal(await box.inputValue(), "12");
});

test("what is typed for another hospital while figures are being sent is not lost", async () => {
  const phone = await phones.open();
  const { page } = phone;
  await enter(phone, ["一院", "二院"]);
  const box = page.getByRole("textbox", { name: /^昨天.*发热门诊/ });
  const { promise: mayGo, resolve: letGo } = Promise.withResolvers<void>();
  await page.route("**/feverClinicOfHospitalStatistics/save", async (route) => {
    await mayGo;
    await route.continue();
  });
  await box.fill("14");
  await page.getByRole("button", { name: "上报", exact: true }).tap();
  await page.getByLabel("医院").selectOption("二院");
  await page.getByRole("heading", { name: "二院" }).waitFor();
  await box.fill("15");
  const stored = page.waitForResponse("**/feverClinicOfHospitalStatistics/save");
  letGo();
  await (await stored).finished();
  await page.getByLabel("医院").selectOption("一院");
  await page.getByRole("heading", { name: "一院" }).waitFor();
  assert.equal(await box.inputValue(), "14");
  await page.getByLabel("医院").selectOption("二院");
  await page.getByRole("heading", { name: "二院" }).waitFor();
  assert.equal(await box.inputValue(), "15");
});

test("a session that has ended is recognised where every answer has status 200, and without storage", async () => {
  const settings = { STATUS_STYLE: "always-200" };
  const old = await openPhoneTests(await startTestApp({ services: ["disease-command"], settings, beside: app }));
  const phone = await old.open();
  await phone.page.addInitScript(
    `Object.defineProperty(window, "sessionStorage", { get: () => { throw new DOMException("", "SecurityError"); } });`,
  );
  await enter(phone, ["一院"]);
  await app.pool`delete from platform.session where account_id = ${hospital.id}`;
  await phone.page.getByRole("textbox", { name: /^昨天.*发热门诊/ }).fill("16");
  await phone.page.getByRole("button", { name: "上报", exact: true }).tap();
  await phone.page.getByText("登录已失效").waitFor();
});
