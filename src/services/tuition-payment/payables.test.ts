import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestApp } from "#test/app.ts";
import { withinOneMinute } from "#test/one-minute.ts";
import { codeOf } from "#test/orders.ts";
import { pick } from "#test/pick.ts";
import { samplePayable } from "#test/tuition-payment.ts";

const app = await startTestApp({ services: ["tuition-payment"] });
const { token } = await app.signIn("tuition-payment");

describe("payables of administrators", async () => {
  const prefix = "/tuitionpayment/payableinfo";
  const save = (change: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    app.call("POST", `${prefix}/save`, { token, body: samplePayable(change), headers });
  const update = (body: unknown) => app.call("PUT", `${prefix}/update`, { token, body });
  const remove = (id: number | string) => app.call("DELETE", `${prefix}/delete/${id}`, { token });
  const decide = (id: number | string, pay: string) => app.call("PUT", `${prefix}/pay/${id}/${pay}`, { token });
  const info = async (id: number | string) => (await app.call("GET", `${prefix}/info/${id}`, { token })).json.data;
  const list = (query: Record<string, string | number> = {}) => app.call("GET", `${prefix}/list`, { token, query });
  const limits = async () => (await app.call("GET", "/enablePayLimit/list", { token })).json.data;

  let numbers = 0;
  const newNumber = (): string => `P${String(++numbers).padStart(6, "0")}`;
  const saveNew = async (change: Record<string, unknown> = {}): Promise<number> =>
    Number((await save({ studentNo: newNumber(), ...change })).json.data);

  test("which of some are paid", async () => {
    const [unpaid, paid, other] = [await saveNew(), await saveNew(), await saveNew()];
    for (const id of [paid, other]) await decide(id, "true");
    const ask = async (query: string) => (await app.call("GET", `${prefix}/paid?${query}`, { token })).json;
    assert.deepEqual((await ask(`ids=${unpaid}&ids=${paid}&ids=987654`)).data, [paid]);
    assert.deepEqual((await ask(`ids=${other},${paid},${paid}`)).data, [paid, other]);
    assert.deepEqual((await ask(`ids=${unpaid}`)).data, []);
    const tooMany = Array.from({ length: 1001 }, (_, index) => index + 1).join(",");
    for (const query of ["", "ids=", "ids=x", "ids=0", `ids=${tooMany}`])
      assert.equal((await ask(query)).code, "10001", query.slice(0, 40));
  });

  describe("save", () => {
    test("refuses amounts that are none", async () => {
      for (const realPayAmount of [-1, 0, 0.001, 1e9, "6000", null, [6000], undefined]) {
        const { status, json } = await save({ realPayAmount });
        assert.deepEqual([status, json.code], [400, "10001"], String(realPayAmount));
        assert.match(json.message, /realPayAmount/);
      }
    });

    test("refuses items that cannot be read, stand twice, or do not add up", async () => {
      const codes: Record<string, string> = {
        "学费:6000:1": "10001",
        "学费:-6000": "10001",
        "学费:6000.001": "10001",
        "学费:NaN": "10001",
        "学费:3000\\学费:3000": "10022",
        "学费:4800": "10021",
        "学费:4800\\住宿费:1200.01": "10021",
        [`${"学".repeat(65)}:6000`]: "10026",
        [`学费:6000${"0".repeat(4000)}`]: "10026",
      };
      for (const [payItemDetail, code] of Object.entries(codes)) {
        const { json } = await save({ payItemDetail });
        assert.equal(json.code, code, `${payItemDetail.slice(0, 40)}: ${json.message}`);
      }
      assert.match(
        (await save({ payItemDetail: "学费:4800" })).json.message,
        /合计¥4,800\.00，与应缴金额¥6,000\.00不符/,
      );
    });

    test("needs number, name, grade and year, and refuses what is no identity card or too long", async () => {
      for (const field of ["studentNo", "studentName", "grade", "years"]) {
        for (const none of [undefined, null, "", " "])
          assert.equal((await save({ [field]: none })).json.code, "10001", field);
        const most = field === "studentNo" ? 64 : 255;
        const { code, message } = (await save({ [field]: "字".repeat(most + 1) })).json;
        assert.deepEqual([code, message], ["10026", `内容过长：${field}: 最多${most}个字符`]);
      }
      for (const idCard of ["12345", "身份证", "1234567890 12345678"])
        assert.equal((await save({ idCard })).json.code, "10001", idCard);
    });

    test("stores what was sent, with the spaces around it gone, unpaid, and the identity card out of sight", async () => {
      const id = await saveNew({
        studentNo: " A-1 ",
        studentName: " 张\\三 ",
        idCard: "99000020080101001x",
        realPayAmount: 19.99,
        payItemDetail: "学费:19.9\\ 手续费 : 0.09",
        pay: true,
      });
      assert.deepEqual(await info(id), {
        id,
        ...samplePayable({ studentNo: "A-1", studentName: "张\\三", realPayAmount: 19.99 }),
        payItemDetail: "学费:19.90\\手续费:0.09",
        due: 19.99,
        dueDate: null,
        items: [
          { name: "学费", amount: 19.9, due: 19.9 },
          { name: "手续费", amount: 0.09, due: 0.09 },
        ],
        adjustments: [],
        pay: false,
      });
      const [row] = await app.pool`select id_card from tuition_payment.payable where id = ${id}`;
      assert.equal(row?.["id_card"], "99000020080101001X");
      assert.ok(!(await list({ keyword: "A-1" })).text.includes("99000020080101001"));
      assert.ok(!JSON.stringify(app.logged).includes("99000020080101001"));
    });

    test("takes one payable of a student and year, also when two come at once", async () => {
      const studentNo = newNumber();
      const answers = await Promise.all([save({ studentNo }), save({ studentNo }), save({ studentNo })]);
      assert.deepEqual(answers.map(({ json }) => json.code).toSorted(), ["0", "10004", "10004"]);
      assert.equal((await save({ studentNo, years: "2027" })).status, 200);
    });

    test("once an Idempotency-Key", async () => {
      const [studentNo, headers] = [newNumber(), { "Idempotency-Key": "pay-1" }];
      const first = await save({ studentNo }, headers);
      assert.deepEqual((await save({ studentNo }, headers)).json, first.json);
    });
  });

  describe("update", () => {
    test("keeps what it is not sent", async () => {
      const id = await saveNew({ idCard: "990000200801010011" });
      const before = await info(id);
      assert.equal((await update({ id, studentName: "李四", className: "" })).json.data, "1");
      assert.deepEqual(await info(id), { ...before, studentName: "李四", className: "" });
      const [row] = await app.pool`select id_card from tuition_payment.payable where id = ${id}`;
      assert.equal(row?.["id_card"], "990000200801010011");
    });

    test("keeps amount and items in step", async () => {
      const id = await saveNew();
      assert.equal((await update({ id, realPayAmount: 5000 })).json.code, "10021");
      assert.equal((await update({ id, payItemDetail: "学费:5000" })).json.code, "10021");
      assert.equal((await update({ id, realPayAmount: 5000, payItemDetail: "学费:5000" })).json.data, "1");
      const { realPayAmount, payItemDetail } = await info(id);
      assert.deepEqual([realPayAmount, payItemDetail], [5000, "学费:5000"]);
    });

    test("onto another one's student and year is refused", async () => {
      const [one, other] = [await saveNew(), await saveNew()];
      const { studentNo } = await info(one);
      assert.equal((await update({ id: other, studentNo })).json.code, "10004");
    });

    test("gives a new grade its row", async () => {
      const id = await saveNew();
      await update({ id, grade: "预科" });
      const row = (await limits()).find(({ grade }: { grade: string }) => grade === "预科");
      assert.deepEqual([row.gradeName, row.enablePay], ["预科", "1"]);
    });
  });

  describe("a new student, known by the identity card alone,", () => {
    let cards = 0;
    const newCard = (): string => `99000020080101${String(7000 + ++cards)}`;
    const nameless = (idCard: string, given: Record<string, unknown> = {}) => save({ studentNo: "", idCard, ...given });

    test("is saved without a number, which reads null, and listed and sorted like the others", async () => {
      const [first, second] = [newCard(), newCard()];
      const id = Number((await nameless(first)).json.data);
      assert.equal((await info(id)).studentNo, null);
      for (const studentNo of [undefined, null, "  "])
        assert.equal((await save({ studentNo, idCard: newCard() })).json.code, "0", String(studentNo));
      await nameless(second, { studentName: "新生甲" });
      const [row] = (await list({ keyword: "新生甲" })).json.data.list;
      assert.deepEqual([row.studentNo, row.studentName], [null, "新生甲"]);
      assert.equal((await list({ keyword: second })).json.data.totalCount, 0);
      for (const order of ["asc", "desc"])
        assert.equal((await list({ orderField: "studentNo", order, pageSize: 1000 })).json.code, "0");
    });

    test("has one payable a year, also when two come at once, one of them with a number", async () => {
      const card = newCard();
      const several = [nameless(card), nameless(card), save({ studentNo: newNumber(), idCard: card })];
      const answers = await Promise.all(several);
      assert.deepEqual(answers.map(({ json }) => json.code).toSorted(), ["0", "10004", "10004"]);
      const { message } = (await nameless(card.toLowerCase())).json;
      assert.equal(message, "数据已存在：idCard: 该身份证号在该收费年度已有缴费信息");
      assert.equal((await nameless(card, { years: "2027" })).json.code, "0");
    });

    test("may have two numbers in a year, as before", async () => {
      const card = newCard();
      for (let time = 0; time < 2; time++)
        assert.equal((await save({ studentNo: newNumber(), idCard: card })).json.code, "0");
      assert.equal((await nameless(card)).json.code, "10004");
    });

    test("gets the number by an update, also once it is paid; the only name cannot be taken away", async () => {
      const [id, other] = [Number((await nameless(newCard())).json.data), await saveNew()];
      const [number, taken] = [newNumber(), (await info(other)).studentNo];
      await app.call("PUT", `${prefix}/pay/${id}/true`, { token });
      assert.equal((await update({ id, studentNo: taken })).json.code, "10004");
      assert.equal((await update({ id, studentNo: number, studentName: "李四" })).json.code, "10007");
      assert.equal((await update({ id, studentNo: number })).json.data, "1");
      assert.equal((await info(id)).studentNo, number);
      assert.equal((await update({ id, studentNo: `${number}x` })).json.code, "10007");
      await app.call("PUT", `${prefix}/pay/${id}/false`, { token });
      assert.equal((await update({ id, studentNo: "" })).json.data, "1");
      assert.equal((await info(id)).studentNo, null);
      const without = await update({ id: other, studentNo: "" });
      assert.deepEqual(codeOf(without), ["10001", 400]);
      assert.match(without.json.message, /studentNo: 学号与身份证号不能都为空/);
    });

    test("is not another's: a card or a year that is taken is refused", async () => {
      const [card, another] = [newCard(), newCard()];
      const id = Number((await nameless(card)).json.data);
      const second = Number((await nameless(another)).json.data);
      const numbered = await saveNew();
      assert.equal((await update({ id: second, idCard: card })).json.code, "10004");
      assert.equal((await update({ id: numbered, idCard: card })).json.code, "10004");
      const later = Number((await nameless(card, { years: "2027" })).json.data);
      assert.equal((await update({ id: later, years: "2026" })).json.code, "10004");
      assert.equal((await update({ id, idCard: card, years: "2026" })).json.data, "1");
    });
  });

  describe("the decision that a payable is paid", () => {
    test("is true or false, of a payable that is there", async () => {
      const id = await saveNew();
      for (const pay of ["1", "yes", "TRUE", "null"]) assert.equal((await decide(id, pay)).json.code, "10001", pay);
      assert.equal((await decide(999_999_999, "true")).json.code, "10005");
      assert.equal((await decide("x", "true")).json.code, "10001");
    });

    test("is recorded, closes the payable, and can be taken back", async () => {
      const id = await saveNew();
      assert.equal((await decide(id, "true")).json.data, "1");
      assert.equal((await decide(id, "true")).json.data, "1");
      assert.equal((await info(id)).pay, true);
      for (const answer of [await update({ id, studentName: "李四" }), await remove(id)])
        assert.deepEqual([answer.status, answer.json.code], [400, "10007"]);
      assert.equal((await decide(id, "false")).json.data, "1");
      assert.deepEqual(codeOf(await decide(id, "false")), ["10007", 400]);
      assert.equal((await info(id)).pay, false);
      assert.equal((await remove(id)).json.data, "1");
      const lines = await app.pool`
        select from platform.audit where action = 'recordPayment' and outcome = 'done' and ${String(id)} = any(records)`;
      assert.equal(lines.length, 3);
    });

    test("does not undo what orders have settled", async () => {
      const id = await saveNew();
      await app.pool`update tuition_payment.payable set paid_by = 'orders', paid_at = now() where id = ${id}`;
      for (const pay of ["true", "false"]) assert.equal((await decide(id, pay)).json.code, "10007");
    });
  });

  test("delete takes a payable that is there", async () => {
    const id = await saveNew();
    assert.equal((await remove(id)).json.data, "1");
    assert.deepEqual(codeOf(await remove(id)), ["10005", 404]);
  });

  describe("the list", () => {
    test("has the documented fields, without pay and identity card", async () => {
      await saveNew({ idCard: "990000200801010022" });
      const [row] = (await list({ pageSize: 1 })).json.data.list;
      assert.deepEqual(Object.keys(row), [
        "id",
        ...Object.keys(samplePayable()),
        "due",
        "dueDate",
        "items",
        "adjustments",
      ]);
    });

    test("finds by name or number, anywhere and literally, and by grade, year and payment", async () => {
      const id = await saveNew({ studentNo: "Xq-77%_8", studentName: "欧阳虚构", grade: "L1", years: "1999" });
      const find = async (query: Record<string, string>) => pick((await list(query)).json.data.list, "id");
      for (const keyword of ["xQ-7", "77%_", "阳虚"]) assert.deepEqual(await find({ keyword }), [id], keyword);
      assert.deepEqual(await find({ keyword: "77_%" }), []);
      assert.deepEqual(await find({ grade: "L1" }), [id]);
      assert.deepEqual(await find({ grade: "L1", years: "1999", pay: "false" }), [id]);
      assert.deepEqual(await find({ grade: "L1", pay: "true" }), []);
      assert.equal((await list({ pay: "2" })).json.code, "10001");
    });

    test("pages and sorts, by its own fields alone", async () => {
      for (const orderField of ["payItemDetail", "pay", "idCard", "id; drop"])
        assert.equal((await list({ orderField })).json.code, "10007", orderField);
      const { data } = (await list({ orderField: "studentNo", pageSize: 1000 })).json;
      const found = pick(data.list, "studentNo");
      assert.deepEqual(found, found.toSorted());
      assert.equal(data.totalCount, found.length);
      const past = (await list({ curPage: 1000, pageSize: 1000 })).json.data;
      assert.deepEqual([past.list, past.totalCount], [[], data.totalCount]);
    });
  });

  describe("pay limits", () => {
    test("appear with the grades of payables, enabled, under the name that people use", async () => {
      await saveNew({ grade: "2031" });
      await saveNew({ grade: "2031" });
      const rows = (await limits()).filter(({ grade }: { grade: string }) => grade === "2031");
      assert.deepEqual(rows, [{ id: rows[0].id, gradeName: "2031级", grade: "2031", enablePay: "1" }]);
    });

    test("are switched, to 1 or 2 only, and stay as they are when payables come", async () => {
      await saveNew({ grade: "2032" });
      const find = async () => (await limits()).find(({ grade }: { grade: string }) => grade === "2032");
      const { id } = await find();
      const set = (settingId: number | string, enablePay: string) =>
        app.call("PUT", `/enablePayLimit/setting/${settingId}/${enablePay}`, { token });
      for (const value of ["0", "3", "true", "１", "12"])
        assert.equal((await set(id, value)).json.code, "10001", value);
      assert.equal((await set("x", "1")).json.code, "10001");
      assert.deepEqual([(await set(999_999, "2")).status, (await set(999_999, "2")).json.code], [404, "10019"]);
      assert.equal((await set(id, "2")).json.data, "1");
      await saveNew({ grade: "2032" });
      assert.equal((await find()).enablePay, "2");
      assert.equal((await set(id, "1")).json.data, "1");
      assert.equal((await find()).enablePay, "1");
    });
  });
});

describe("payables of students", async () => {
  const prefix = "/tuitionpayment/payableinfo";
  const save = async (change: Record<string, unknown>): Promise<number> => {
    const { json } = await app.call("POST", `${prefix}/save`, { token, body: samplePayable(change) });
    return Number(json.data);
  };
  const own = (card: string) => app.call("GET", `${prefix}/payableInfo`, { headers: { card_number: card } });
  const years = (card: string) => app.call("GET", `${prefix}/years`, { headers: { card_number: card } });
  const match = (
    number: string,
    name: string,
    card = `parent-${number}-${name}`.replaceAll(/[^\w-]/g, "").slice(0, 60),
  ) => app.call("GET", `${prefix}/payableInfo/${number}/${name}`, { headers: { card_number: card } });
  const pay = (id: number) => app.call("PUT", `${prefix}/pay/${id}/true`, { token });

  describe("one's own payable", () => {
    test("needs a card, and is 10013 where there is none", async () => {
      assert.equal((await app.call("GET", `${prefix}/payableInfo`)).json.code, "10012");
      assert.deepEqual([(await own("nobody")).status, (await own("nobody")).json.code], [404, "10013"]);
      assert.deepEqual((await years("nobody")).json.data, []);
    });

    test("is the earliest unpaid year, and the latest once all are paid", async () => {
      const ids: Record<string, number> = {};
      for (const year of ["2025", "2024", "2026"]) ids[year] = await save({ studentNo: "S1", years: year });
      const dueYear = async (): Promise<string> => (await own("S1")).json.data.years;
      assert.equal(await dueYear(), "2024");
      await pay(ids["2024"] ?? 0);
      assert.equal(await dueYear(), "2025");
      await pay(ids["2026"] ?? 0);
      assert.equal(await dueYear(), "2025");
      await pay(ids["2025"] ?? 0);
      const { data } = (await own("S1")).json;
      assert.deepEqual([data.years, data.pay], ["2026", true]);
      assert.deepEqual(pick((await years("S1")).json.data, "years"), ["2024", "2025", "2026"]);
    });

    test("has the documented fields and no identity card", async () => {
      const id = await save({ studentNo: "S2", idCard: "990000200801010033" });
      const items = [
        { name: "学费", amount: 4800, due: 4800 },
        { name: "住宿费", amount: 1200, due: 1200 },
      ];
      const due = { due: 6000, dueDate: null, items, adjustments: [] };
      assert.deepEqual((await own("S2")).json.data, { id, ...samplePayable({ studentNo: "S2" }), ...due, pay: false });
    });

    test("is found by the identity card of new students, in any case", async () => {
      const id = await save({ studentNo: "S3", idCard: "99000020080101004X" });
      for (const card of ["99000020080101004X", "99000020080101004x"]) {
        assert.equal((await own(card)).json.data.id, id);
        assert.equal((await years(card)).json.data.length, 1);
      }
    });

    test("is found by the identity card where there is no number yet, by name as well", async () => {
      const id = await save({ studentNo: null, studentName: "新生", idCard: "99000020080101046X" });
      const { json } = await own("99000020080101046x");
      assert.deepEqual([json.data.id, json.data.studentNo], [id, null]);
      assert.equal((await match("99000020080101046X", encodeURIComponent("新生"))).json.data.id, id);
      assert.equal((await match("99000020080101046X", encodeURIComponent("老生"))).json.code, "10013");
    });

    test("is nobody else's: a card finds what is equal to it and nothing like it", async () => {
      await save({ studentNo: "S4" });
      for (const card of ["S", "s4", "S4%", "S_", "'or'1'='1"])
        assert.equal((await own(card)).json.code, "10013", card);
    });
  });

  describe("a payable by number and name", async () => {
    const id = await save({ studentNo: "N1", studentName: "欧阳·娜娜", idCard: "99000020080101005X" });
    const name = encodeURIComponent("欧阳·娜娜");

    test("needs a card, and both to be right", async () => {
      assert.equal((await app.call("GET", `${prefix}/payableInfo/N1/${name}`)).json.code, "10012");
      for (const given of ["欧阳", "欧阳·娜娜娜"])
        assert.deepEqual(codeOf(await match("N1", encodeURIComponent(given))), ["10013", 404], given);
      for (const number of ["N2", "n1", "N1%25"])
        assert.deepEqual(codeOf(await match(number, name)), ["10013", 404], number);
      for (const number of ["N1", "99000020080101005x"]) assert.equal((await match(number, name)).json.data.id, id);
    });

    test("takes Chinese, slashes, percent signs, spaces and backslashes as they were encoded", async () => {
      for (const [number, given] of [
        ["2026/01", "张/三"],
        ["50%", "100%"],
        ["a b", "Anna Maria"],
        ["\\1", "张\\三"],
        ["?#&", "O'Hara <b>"],
        ["𠮷1", "𠮷野👍"],
      ] as const) {
        const saved = await save({ studentNo: number, studentName: given });
        const { json } = await match(encodeURIComponent(number), encodeURIComponent(given));
        assert.equal(json.data?.id, saved, `${number} ${given}: ${json.message}`);
      }
    });

    test("refuses what is not encoded as UTF-8, is empty, too long, or cannot be", async () => {
      for (const given of ["%D5%C5%C8", "%00", "%20", "x".repeat(20_000)])
        assert.equal((await match("N1", given)).json.code, "10001", given.slice(0, 9));
      assert.equal((await match("N1", "x".repeat(256))).json.code, "10026");
      assert.equal((await match("N1", encodeURIComponent("字".repeat(255)))).json.code, "10013");
      assert.equal((await match("N1", "")).json.code, "20003");
    });

    test("may be asked for 20 times a minute a card", async () => {
      const answers = await withinOneMinute(app.pool, () =>
        Promise.all(Array.from({ length: 22 }, () => match("N1", name, "curious"))),
      );
      const codes = answers.map(({ json }) => json.code).toSorted();
      assert.deepEqual(codes, [...Array.from({ length: 20 }, () => "0"), "20001", "20001"]);
      assert.equal((await match("N1", name, "another")).status, 200);
      assert.equal((await own("curious")).json.code, "10013");
    });
  });

  describe("one's own grades", () => {
    test("need a card, and are those of the own payables, each with whether it may pay", async () => {
      const grades = (headers: Record<string, string>) => app.call("GET", "/enablePayLimit/own", { headers });
      assert.deepEqual([(await grades({})).status, (await grades({})).json.code], [401, "10012"]);
      assert.deepEqual((await grades({ card_number: "nobody" })).json.data, []);
      await save({ studentNo: "S-grade", grade: "2019", years: "2025" });
      await save({ studentNo: "S-grade", grade: "预科", years: "2026" });
      await save({ studentNo: "S-other", grade: "2018" });
      const { data: limits } = (await app.call("GET", "/enablePayLimit/list", { token })).json;
      const { id } = limits.find(({ grade }: { grade: string }) => grade === "预科");
      await app.call("PUT", `/enablePayLimit/setting/${id}/2`, { token });
      const { data: own } = (await grades({ card_number: "S-grade" })).json;
      assert.deepEqual(pick(own, "grade", "gradeName", "enablePay"), ["2019 2019级 1", "预科 预科 2"]);
    });
  });
});

describe("feedback", async () => {
  const prefix = "/tuitionpayment/feedbackmsg";
  const sample = (change: object = {}) => ({
    feedbackPersonName: "张三",
    feedbackPersonPhone: "555 0100 0001",
    feedbackInfo: "金额不对。",
    ...change,
  });
  const save = (card: string, body: unknown = sample(), headers: Record<string, string> = {}) =>
    app.call("POST", `${prefix}/save`, { body, headers: { card_number: card, ...headers } });
  const own = (card: string, query: Record<string, string> = {}) =>
    app.call("GET", `${prefix}/listOfCurrentUser`, { headers: { card_number: card }, query });
  const remove = (card: string, id: number | string) =>
    app.call("DELETE", `${prefix}/delete/${id}`, { headers: { card_number: card } });
  const list = (query: Record<string, string> = {}) => app.call("GET", `${prefix}/list`, { token, query });
  const info = (id: number | string) => app.call("GET", `${prefix}/info/${id}`, { token });
  const process = (id: number | string) => app.call("PUT", `${prefix}/info/${id}`, { token });

  describe("save", () => {
    test("needs a card, and every field in its form", async () => {
      assert.equal((await app.call("POST", `${prefix}/save`, { body: sample() })).json.code, "10012");
      assert.equal((await app.call("POST", `${prefix}/save`, { headers: { card_number: "1" } })).json.code, "10002");
      const wrong = {
        feedbackPersonName: [undefined, " "],
        feedbackPersonPhone: ["12", "１２３４５６", 5_550_100],
        feedbackInfo: ["", null, "\0"],
      };
      for (const [field, values] of Object.entries(wrong))
        for (const value of values)
          assert.equal((await save("1", sample({ [field]: value }))).json.code, "10001", `${field} ${value}`);
      assert.equal((await save("1", [])).json.code, "10001");
    });

    test("takes 512 characters and not one more, counted as people count", async () => {
      assert.equal((await save("512", sample({ feedbackInfo: "👍".repeat(512) }))).status, 200);
      assert.deepEqual(codeOf(await save("512", sample({ feedbackInfo: "字".repeat(513) }))), ["10026", 400]);
      assert.equal((await save("512", sample({ feedbackPersonName: "字".repeat(255) }))).status, 200);
    });

    test("keeps whose it is by the card, whatever the body says", async () => {
      const { json } = await save("2022010001", sample({ feedbackPersonIdentify: "other", statu: "2", id: 7 }));
      const { publishTime, ...rest } = (await info(json.data)).json.data;
      assert.match(publishTime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
      const whose = { id: Number(json.data), feedbackPersonIdentify: "2022010001" };
      assert.deepEqual(rest, { ...whose, ...sample(), statu: "1", handleTime: null });
    });

    test("once a key and card", async () => {
      const key = { "Idempotency-Key": "retry" };
      const first = await save("key-1", sample(), key);
      assert.equal((await save("key-1", sample(), key)).json.data, first.json.data);
      assert.notEqual((await save("key-2", sample(), key)).json.data, first.json.data);
      assert.equal((await save("key-1", sample({ feedbackInfo: "anders" }), key)).json.code, "10004");
    });

    test("is counted by card, not by address", async () => {
      const settings = { RATE_LIMIT_OPEN: "2" };
      const strict = await startTestApp({ services: ["tuition-payment"], settings, beside: app });
      const send = (card: string) =>
        strict.call("POST", `${prefix}/save`, { body: sample(), headers: { card_number: card } });
      const { status, json, headers } = await withinOneMinute(app.pool, async () => {
        await send("busy");
        await send("busy");
        return send("busy");
      });
      assert.deepEqual([status, json.code], [429, "20001"]);
      assert.ok(Number(headers.get("retry-after")) >= 1);
      assert.equal((await send("calm")).status, 200);
    });
  });

  describe("one's own", () => {
    test("is listed alone, newest first", async () => {
      const first = (await save("mine")).json.data;
      const second = (await save("mine")).json.data;
      await save("yours");
      const { data } = (await own("mine")).json;
      assert.deepEqual([data.totalCount, data.list.map(({ id }: { id: number }) => String(id))], [2, [second, first]]);
      assert.equal((await own("nobody")).json.data.totalCount, 0);
      const past = (await own("mine", { curPage: "9" })).json.data;
      assert.deepEqual([past.totalCount, past.totalPage, past.list], [2, 1, []]);
      assert.equal((await own("mine", { orderField: "feedbackInfo" })).json.code, "10007");
    });

    test("can be deleted, and nobody else's", async () => {
      const id = (await save("author")).json.data;
      assert.deepEqual([(await remove("thief", id)).status, (await remove("thief", id)).json.code], [404, "10005"]);
      assert.equal((await info(id)).status, 200);
      assert.equal((await remove("author", id)).json.data, "1");
      assert.equal((await remove("author", id)).json.code, "10005");
      assert.equal((await remove("author", "0")).json.code, "10001");
    });
  });

  describe("administrators", () => {
    test("move feedback from unprocessed to processed, once", async () => {
      const id = (await save("1")).json.data;
      const before = (await app.call("GET", `${prefix}/counts`, { token })).json.data;
      const outcomes = await Promise.all([process(id), process(id), process(id)]);
      assert.deepEqual(outcomes.map(({ json }) => json.code).toSorted(), ["0", "10007", "10007"]);
      const { data } = (await info(id)).json;
      assert.equal(data.statu, "2");
      assert.match(data.handleTime, /^\d{4}-/);
      const after = (await app.call("GET", `${prefix}/counts`, { token })).json.data;
      assert.deepEqual(after, { unprocessed: before.unprocessed - 1, processed: before.processed + 1 });
    });

    test("filter by state and keyword, of name and phone, with % and _ as they are", async () => {
      await save("k", sample({ feedbackPersonName: "欧阳100%_x", feedbackPersonPhone: "555 0199 7777" }));
      const count = async (query: Record<string, string>): Promise<number> => (await list(query)).json.data.totalCount;
      assert.equal(await count({ keyword: "阳100%_X" }), 1);
      assert.equal(await count({ keyword: "0199" }), 1);
      assert.equal(await count({ keyword: "1__%" }), 0);
      assert.equal(await count({ keyword: "" }), await count({}));
      assert.equal((await count({ status: "1" })) + (await count({ status: "2" })), await count({}));
      assert.equal(await count({ status: "" }), await count({}));
      assert.equal((await list({ status: "3" })).json.code, "10001");
      const sorted = (await list({ orderField: "statu", order: "desc", pageSize: "100" })).json.data.list;
      const status = pick(sorted, "statu");
      assert.deepEqual(status, status.toSorted().toReversed());
    });
  });
});
