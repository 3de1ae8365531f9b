import { toOldSummary } from "./old-months.ts";
import { oldAddress, type OldService } from "./old-services.ts";

// The answers of the old systems to the documented reads, in the shapes of the documents, computed from the rows of the
// old databases.

export type Row = Readonly<Record<string, unknown>>;
export type Paged = (list: readonly Row[]) => unknown;
/** Returns the data of an answer, or undefined if there is none. */
type Answer = (paged: Paged, card?: string) => unknown;
/** The answers by path. */
export type OldAnswers = Map<string, Answer>;
/** Returns the rows of a table except those that the import refuses as records of the given kind. */
export type ListRows = (table: string, record: string) => Row[];

const later = (utc: string): string =>
  new Date(Date.parse(`${utc.replace(" ", "T")}Z`) + 8 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
const toList = (text: string): unknown[] =>
  text.startsWith("[") ? (JSON.parse(text) as string[]) : text.split(",").filter(Boolean);
const toNumbers = (row: Row): Row => ({
  ...row,
  ...Object.fromEntries(
    ["status", "delStatus", "valid", "adminType"]
      .filter((field) => field in row)
      .map((field) => [field, Number(row[field])]),
  ),
});

const toReport = (row: Row): Row => ({
  ...toNumbers(row),
  bProduct: toList(String(row["bProduct"])),
  bFile: toList(String(row["bFile"] ?? "")),
  reportingTime: later(String(row["reportingTime"])),
  tenderTime: String(row["tenderTime"]).startsWith("0") ? null : row["tenderTime"],
});
const toAdministrator = ({ createTime, ...row }: Row): Row => ({
  ...toNumbers({ ...row, salt: undefined }),
  time: String(createTime).startsWith("2") ? createTime : null,
});
const toPayable = (row: Row): Row => ({ ...row, realPayAmount: Number(row["realPayAmount"]), paid: undefined });
const withoutSecrets = (row: Row): Row => ({ ...row, password: null, salt: undefined, createTime: undefined });
const withoutContent = (row: Row): Row => ({ ...row, content: null });

type Answers = Readonly<Record<string, Answer>>;
const oneByOne = (rows: readonly Row[], toPath: (row: Row) => string): Answers =>
  Object.fromEntries(rows.map((row) => [toPath(row), () => row]));
const byId = (path: string, rows: readonly Row[]): Answers => oneByOne(rows, ({ id }) => `${path}/${String(id)}`);

const titleOfJune2022 = (): Row => {
  const ordinals = Object.keys(toOldSummary(1)).filter((field) => field.endsWith("OfMonth"));
  const toWeekday = (at: number): string => "三四五六日一二"[at % 7] ?? "";
  const days = ordinals.map((field, at) => [field, at < 30 ? toWeekday(at) : ""]);
  return { id: 17, userId: "UserId", workName: "姓名", ...Object.fromEntries(days) };
};

function answerForCity(listRows: ListRows): Answers {
  const broadcasts = listRows("broadcast_record", "broadcasts").map((row) => ({
    ...row,
    extraFileShowUrl: oldAddress,
  }));
  const [statistics = {}] = listRows("broadcast_statistics", "broadcastStatistics");
  const { numOfBroadcasts, broadcastDuration } = statistics;
  const plans = listRows("event_plan", "plans");
  const summaries = listRows("month_summary", "monthSummaries");
  const clinics = listRows("fever_clinic", "feverClinics");
  const lastDay = clinics
    .map((row) => String(row["statisticsDate"]))
    .toSorted()
    .at(-1);
  const spots = listRows("scenic_spot", "scenicSpots");
  const themes = listRows("theme", "themes");
  const toilets = listRows("toilet", "toilets");
  const months = Map.groupBy(plans.map(withoutContent), (row) => String(row["startTime"]).slice(0, 7));
  const byStart = (one: Row, other: Row): number => (String(one["startTime"]) < String(other["startTime"]) ? -1 : 1);
  return {
    "/adminInfo/list": (paged) => paged(listRows("sys_user", "administrators").map(withoutSecrets)),
    "/broadcast/statistics/info": () => statistics,
    "/broadcast/record/page": (paged) => ({ numOfBroadcasts, broadcastDuration, recordPage: paged(broadcasts) }),
    ...byId("/broadcast/record/info", broadcasts),
    "/consumptionCategoryStatistics/list": (paged) =>
      paged(listRows("consumption", "consumption").map((row) => ({ ...row, value: Number(row["value"]) }))),
    "/detectionStatistics/list": (paged) => paged(listRows("detection", "detection")),
    "/emergencyTeam/statistics": () => ({
      teamCount: listRows("team", "teams").length,
      peopleCount: listRows("team_member", "members").length,
    }),
    "/eventPlanning/list": (paged) => paged(plans.map(withoutContent)),
    "/eventPlanning/list/groupByMonth": (paged) =>
      paged([...months].map(([month, plannings]) => ({ month, plannings: plannings.toSorted(byStart) }))),
    ...byId("/eventPlanning/info", plans),
    "/eventPlanningMonthSummary/list": (paged) => paged(summaries),
    ...byId("/eventPlanningMonthSummary/info", summaries),
    ...oneByOne(summaries, ({ month }) => `/eventPlanningMonthSummary/${String(month)}/info`),
    "/feverClinicOfHospitalStatistics/list": (paged) => paged(clinics),
    "/feverClinicOfHospitalStatistics/lastData": () => clinics.filter((row) => row["statisticsDate"] === lastDay),
    "/scenicSpotOverview/list": (paged) => paged(spots),
    ...byId("/scenicSpotOverview/info/id", spots),
    ...oneByOne(spots, ({ scenicSpotName }) => `/scenicSpotOverview/info/name/${String(scenicSpotName)}`),
    "/theme/list": () => themes,
    "/theme/currentItem": () => themes.find((row) => row["enable"] === "1") ?? null,
    "/toilet/page": (paged) => paged(toilets),
    "/toilet/list/mini": () =>
      toilets
        .filter((row) => row["status"] === "1")
        .map(({ id, name, longitudeAndLatitude, thirdOpenFlag }) => {
          return { id, name, longitudeAndLatitude, flag: thirdOpenFlag ?? "-1" };
        }),
    ...byId("/toilet/info", toilets),
  };
}

/** The answers to students, who see the payable of their latest charging year and their own feedback. */
function answerStudents(payables: readonly Row[], feedback: readonly Row[]): Answers {
  const latest = (card: unknown): Row | undefined => {
    const own = payables.filter(({ studentNo }) => studentNo === card);
    const [row] = own.toSorted((one, other) => Number(other["years"]) - Number(one["years"]));
    return row && { ...toPayable(row), pay: row["paid"] === 1 };
  };
  const at = "/tuitionpayment/payableinfo/payableInfo";
  const shown = payables.flatMap(({ studentNo }): Row[] => [latest(studentNo) ?? {}]);
  return {
    [at]: (_, card) => latest(card),
    ...oneByOne(shown, ({ studentNo, studentName }) => `${at}/${String(studentNo)}/${String(studentName)}`),
    "/tuitionpayment/feedbackmsg/listOfCurrentUser": (paged, card) =>
      paged(feedback.filter((row) => row["feedbackPersonIdentify"] === card)),
  };
}

const makers: Readonly<Record<OldService, (listRows: ListRows) => Answers>> = {
  reporting: (listRows) => ({
    "/reporting/informationReporting/list": (paged) =>
      paged(listRows("tb_report", "reports").slice(0, -1).map(toReport)),
    "/reporting/user/list": (paged) => paged(listRows("sys_user", "administrators").map(toAdministrator)),
  }),
  attendance: () => ({
    "/attendance/month/downLoad": () => [2, 4, 6, 8].map((n) => toOldSummary(n)),
    "/attendance/month/title": titleOfJune2022,
    "/attendance/month/queryAnalyseStatu": () => ({ waring: "" }),
  }),
  "push-relay": (listRows) => ({
    "/wx/push/queryPushProject": () =>
      listRows("push_project", "projects")
        .filter(({ id }) => id === 1 || id === 4)
        .map((row) => ({ ...row, createTime: undefined })),
  }),
  "tuition-payment": (listRows) => ({
    "/tuitionpayment/payableinfo/list": (paged) => paged(listRows("payable_info", "payables").map(toPayable)),
    "/enablePayLimit/list": () => listRows("pay_limit", "payLimits"),
    "/tuitionpayment/feedbackmsg/list": (paged) => paged(listRows("feedback_msg", "feedback")),
    ...byId("/tuitionpayment/feedbackmsg/info", listRows("feedback_msg", "feedback")),
    ...answerStudents(listRows("payable_info", "payables"), listRows("feedback_msg", "feedback")),
    "/tuitionpayment/admininfo/list": (paged) => paged(listRows("sys_user", "administrators").map(withoutSecrets)),
  }),
  "disease-command": (listRows) =>
    Object.fromEntries(
      Object.entries(answerForCity(listRows)).map(([path, answer]) => [`/disease-command${path}`, answer]),
    ),
};

export const answerFor = (service: OldService, listRows: ListRows): OldAnswers =>
  new Map(Object.entries(makers[service](listRows)));
