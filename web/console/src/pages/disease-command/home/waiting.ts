import { addDays, joinWords, today } from "#console/blocks/format.ts";
import { waits } from "#console/shell/waiting.ts";
import { diseaseCommand } from "#shared/api/disease-command.ts";

// A hospital whose last report is older than this number of days is listed here only if the account's scope names the
// hospital. The alert lists such a hospital for up to seven days.
const knownDays = 3;

/** The figures use the same read as the work list, so that the home page sends it once. */
export const recentFeverClinics = () => ({
  query: { startDate: addDays(today(), -knownDays), endDate: today(), curPage: 1, pageSize: 1000 },
});

export const diseaseWaiting = [
  waits(
    diseaseCommand.listFeverClinics,
    [diseaseCommand.saveFeverClinics],
    recentFeverClinics,
    ({ list }, { scope }) => {
      const told = new Set(list.filter((row) => row.statisticsDate === today()).map((row) => row.hospitalName));
      const known = scope?.["hospitalName"] ?? [...new Set(list.map((row) => row.hospitalName))];
      const missing = known.filter((name) => !told.has(name)).toSorted();
      return missing.length === 0
        ? []
        : [
            {
              what: { zh: "今日未上报的医院", en: "Hospitals without today's figures" },
              count: missing.length,
              about: joinWords(missing.slice(0, 3)),
              since: `${today()} 00:00:00`,
              to: "/disease-command/fever-clinics",
            },
          ];
    },
  ),
];
