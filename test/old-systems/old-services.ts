import { createRandom } from "#test/crash/random.ts";
import { makeAccounts } from "./old-accounts.ts";
import { cityTables } from "./old-city.ts";
import { makeMonths } from "./old-months.ts";

// The databases are in the style of renren-fast. The seed chooses the faulty reports and payables.

export type OldService = "reporting" | "attendance" | "tuition-payment" | "push-relay" | "disease-command";

/** What `check` must report: a record, the row's key, a rule and a field. */
export type Fault = readonly [record: string, key: string, rule: string, field: string];

export const oldAddress = "https://old.example.edu/upload/";

export type Cell = string | number | null;
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: (n: number) => Cell[];
  readonly count: number;
}

export interface OldOptions {
  readonly seed: number;
  readonly count: number;
  /** The number of changed rows, beginning with the second row. */
  readonly changed?: number;
  /** The number of reports with a file of their own, beginning with the eleventh report. */
  readonly files?: number;
}

export interface Made {
  readonly tables: readonly Table[];
  readonly faults: readonly Fault[];
}

const pad = (n: number): string => String(n).padStart(2, "0");
const timeOf = (n: number): string =>
  `${2016 + (n % 9)}-${pad(1 + (n % 12))}-${pad(1 + (n % 28))} 23:30:${pad(n % 60)}`;

/** Makes mojibake: decodes the text's UTF-8 as Windows-1252. */
export const codeTwice = (text: string): string => new TextDecoder("windows-1252").decode(Buffer.from(text));

/** Chooses a row from the tenth on for each kind of fault; no two chosen rows are the same or adjacent. */
function plant<F extends string>(seed: number, count: number, kinds: readonly F[]): ReadonlyMap<number, F> {
  const random = createRandom(seed);
  const draw = (): number => 10 + Math.floor(random() * (count - 10));
  const planted = new Map<number, F>();
  for (const kind of kinds) {
    let row = draw();
    while (planted.has(row) || planted.has(row - 1) || planted.has(row + 1)) row = draw();
    planted.set(row, kind);
  }
  return planted;
}

const listFaults = <F extends string>(
  record: string,
  planted: ReadonlyMap<number, F>,
  told: Readonly<Record<F, readonly [rule: string, field: string]>>,
): Fault[] =>
  [...planted].map(([row, kind]) => [record, kind === "long id" ? longId : String(row), ...told[kind]] as const);

/** A snowflake id, which is too large for an exact JavaScript number. */
export const longId = "1780000000000000001";

export const makers: Readonly<Record<OldService, (options: OldOptions) => Made>> = {
  reporting({ seed, count, changed = 0, files = 0 }) {
    const told = {
      "zero date": ["changed", "tenderTime"],
      "not UTF-8": ["decide", "trade"],
      "too long": ["refused", "company"],
      "coded twice": ["changed", "company"],
      "long id": ["changed", "id"],
      "no time": ["refused", "tenderTime"],
      "other status": ["refused", "status"],
      "id twice": ["refused", "id"],
      "file gone": ["decide", "b_file"],
      "file is a page": ["decide", "file"],
    } as const;
    const planted = plant(seed, count, Object.keys(told) as (keyof typeof told)[]);
    const rows = (n: number): Cell[] => {
      const fault = planted.get(n);
      const isChanged = n > 1 && n <= 1 + changed;
      return [
        fault === "long id" ? longId : n,
        "某人",
        "13800000000",
        null,
        fault === "too long" ? "长".repeat(501) : fault === "coded twice" ? codeTwice("武汉大学") : `公司 ${n}`,
        "客户",
        isChanged ? "改名" : `项目 ${n}`,
        "12万元",
        fault === "zero date" ? "0000-00-00 00:00:00" : fault === "no time" ? "2022-02-30 00:00:00" : timeOf(n),
        n === 3 ? `<img src="${oldAddress}1.png">` : "it's \\ a text",
        fault === "not UTF-8" ? "\u{FFFD}" : "教育",
        "是",
        n % 2 ? '["a","b"]' : "a,b",
        fault === "file gone"
          ? `${oldAddress}gone.png`
          : n === 3
            ? `${oldAddress}%E5%9B%BE%202.png`
            : n > 10 && n <= 10 + files
              ? `${oldAddress}many/${n}.png`
              : null,
        fault === "file is a page" ? `${oldAddress}page.html` : null,
        fault === "other status" ? "7" : String(n % 2),
        "1",
        "0",
        timeOf(n),
        timeOf(n),
      ];
    };
    const columns = [
      "id bigint(20)",
      "name",
      "phone",
      "wx_phone",
      "company varchar(1000)",
      "customer_name",
      "entry_name",
      "project_amount",
      "tender_time datetime",
      "content text",
      "trade",
      "licensing",
      "b_product",
      "b_file",
      "file",
      "status tinyint(1)",
      "del_status",
      "valid",
      "reporting_time timestamp",
      "update_time datetime",
    ];
    const twice = [...planted].find(([, kind]) => kind === "id twice")?.[0] ?? 0;
    const table = { name: "tb_report", columns, count: count + 1, rows: (n: number) => rows(n > count ? twice : n) };
    const accounts = makeAccounts("sys_user", ["1", "2"]);
    return { tables: [table, accounts.table], faults: [...listFaults("reports", planted, told), ...accounts.faults] };
  },
  "tuition-payment"({ seed, count, changed = 0 }) {
    const told = {
      "items do not add up": ["refused", "payItemDetail"],
      "no amount": ["refused", "realPayAmount"],
      "student twice": ["refused", "student_no, years"],
    } as const;
    const planted = plant(seed, count, Object.keys(told) as (keyof typeof told)[]);
    // Each tenth row has the earlier charging year of the student in the row before.
    const keyOf = (n: number) => (n % 10 === 0 ? [String(2_000_000 + n - 1), "2024"] : [String(2_000_000 + n), "2025"]);
    const rows = (n: number): Cell[] => {
      const fault = planted.get(n);
      const [student = "", years = ""] = keyOf(fault === "student twice" ? n - 1 : n);
      const fee = 4000 + (n % 7) + (n > 1 && n <= 1 + changed ? 1 : 0);
      return [
        n,
        student,
        "某人",
        String(2018 + (n % 4)),
        years,
        "学院",
        fault === "no amount" ? "0.00" : `${fee + 1200}.0000`,
        `学费:${fault === "items do not add up" ? 1 : fee}\\住宿费:1200`,
        n % 3 === 0 ? 1 : 0,
      ];
    };
    const columns = ["id bigint", "student_no", "student_name", "grade", "years", "college_name"];
    const money = ["real_pay_amount decimal(10,4)", "pay_item_detail", "paid tinyint(1)"];
    const limit = { name: "pay_limit", columns: ["id int", "grade_name", "grade", "enable_pay"], count: 4 };
    const feedback = [
      "id int",
      "feedback_person_identify",
      "feedback_person_name",
      "feedback_person_phone",
      "feedback_info",
    ];
    const accounts = makeAccounts("sys_user", ["0", "1"]);
    return {
      tables: [
        { name: "payable_info", columns: [...columns, ...money], count, rows },
        { ...limit, rows: (n) => [n, `${2017 + n}级`, String(2017 + n), n === 1 ? "2" : "1"] },
        {
          name: "feedback_msg",
          columns: [...feedback, "statu", "publish_time datetime", "handle_time datetime"],
          count: 3,
          rows: (n) => [n, `200000${n}`, "某人", "13800000000", "你好", n === 1 ? "2" : "1", timeOf(n), null],
        },
        accounts.table,
      ],
      faults: [...listFaults("payables", planted, told), ...accounts.faults],
    };
  },
  attendance: ({ count, changed = 0 }) => makeMonths(count, changed),
  "push-relay"() {
    const urls = ["http://192.0.2.1/a", "ftp://192.0.2.1/", "http://192.0.2.1/a", "http://192.0.2.1/b"];
    const columns = ["id bigint", "url", "project", "statu int", "create_time datetime"];
    const rows = (n: number): Cell[] => [n, urls[n - 1] ?? "", n === 4 ? null : "同一项目", n % 2, null];
    return {
      tables: [{ name: "push_project", columns, count: urls.length, rows }],
      faults: [
        ["projects", "2", "refused", "url"],
        ["projects", "3", "refused", "case when deleted_at is null then url end, name"],
      ],
    };
  },
  "disease-command"() {
    const accounts = makeAccounts("sys_user", ["0", "1"]);
    return {
      tables: [
        ...cityTables,
        {
          name: "team",
          columns: ["id int", "team_name", "leader", "leader_phone", "duty"],
          count: 2,
          rows: (n) => [n, `队 ${n}`, null, null, null],
        },
        {
          name: "team_member",
          columns: ["id int", "team_id int", "name", "phone", "post"],
          count: 3,
          rows: (n) => [n, n, "某人", null, null],
        },
        {
          name: "consumption",
          columns: ["id int", "category_name", "value double"],
          count: 2,
          rows: (n) => [n, n === 1 ? "旅游" : "会展", "1.5"],
        },
        {
          name: "month_summary",
          columns: ["id int", "title", "content text", "images", "month", "publish_time datetime"],
          count: 2,
          rows: (n) => [n, "t", `<img src="${oldAddress}1.png">`, "1.png,图 2.png", `2022-0${n}`, timeOf(n)],
        },
        accounts.table,
      ],
      faults: [
        ["members", "3", "refused", "team_id"],
        ["broadcastStatistics", "1", "merged", "'the only row'"],
        ["consumption", "1", "merged", "name"],
        ["consumption", "2", "changed", "id"],
        ...accounts.faults,
      ],
    };
  },
};
