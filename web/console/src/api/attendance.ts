// Written by `npm run generate` out of the service's contract.
import type { endpoints } from "#services/attendance/contract.ts";
import { defineOperations } from "#console/call/operation.ts";

export const attendance = defineOperations<typeof endpoints>("attendance", ["10012","10006"], {
  importMonth: {"method":"POST","url":"/attendance/month/importExcel","who":"administrator","answer":"envelope","upload":"workbook"},
  analyse: {"method":"GET","url":"/attendance/month/analyse","who":"administrator","answer":"envelope"},
  findStatus: {"method":"GET","url":"/attendance/month/queryAnalyseStatu","who":"administrator","answer":"envelope"},
  download: {"method":"GET","url":"/attendance/month/downLoad","who":"administrator","answer":"envelope","page":"curPage"},
  testService: {"method":"GET","url":"/attendance/month/te","who":"administrator","answer":"text"},
  findTitle: {"method":"GET","url":"/attendance/month/title","who":"administrator","answer":"envelope"},
  importOriginal: {"method":"POST","url":"/attendance/original/importOriginal","who":"administrator","answer":"envelope","upload":"workbook"},
  importWork: {"method":"POST","url":"/attendance/work/importWork","who":"administrator","answer":"envelope","upload":"workbook"},
  listImports: {"method":"GET","url":"/attendance/month/imports","who":"administrator","answer":"envelope","page":"curPage"},
  findImport: {"method":"GET","url":"/attendance/month/imports/:id","who":"administrator","answer":"envelope"},
  listMonths: {"method":"GET","url":"/attendance/month/months","who":"administrator","answer":"envelope"},
  explain: {"method":"GET","url":"/attendance/month/explain","who":"administrator","answer":"envelope"},
  listUnmatched: {"method":"GET","url":"/attendance/month/unmatched","who":"administrator","answer":"envelope"},
  listEmployees: {"method":"GET","url":"/attendance/month/employees","who":"administrator","answer":"envelope","page":"curPage"},
  match: {"method":"PUT","url":"/attendance/month/match","who":"administrator","answer":"envelope"},
  lock: {"method":"PUT","url":"/attendance/month/lock","who":"administrator","answer":"envelope"},
  unlock: {"method":"PUT","url":"/attendance/month/unlock","who":"administrator","answer":"envelope"},
  listVersions: {"method":"GET","url":"/attendance/month/versions","who":"administrator","answer":"envelope"},
  readVersion: {"method":"GET","url":"/attendance/month/versions/:id","who":"administrator","answer":"envelope","page":"curPage"},
  compare: {"method":"GET","url":"/attendance/month/compare","who":"administrator","answer":"envelope"},
  readSettings: {"method":"GET","url":"/attendance/month/settings","who":"administrator","answer":"envelope"},
  changeSettings: {"method":"PUT","url":"/attendance/month/settings","who":"administrator","answer":"envelope"},
  addKeyword: {"method":"POST","url":"/attendance/month/settings/keyword","who":"administrator","answer":"envelope"},
  previewSettings: {"method":"POST","url":"/attendance/month/settings/preview","who":"administrator","answer":"envelope"},
  readMonthTemplate: {"method":"GET","url":"/attendance/month/template/month","who":"administrator","answer":"file"},
  readOriginalTemplate: {"method":"GET","url":"/attendance/month/template/original","who":"administrator","answer":"file"},
  readWorkTemplate: {"method":"GET","url":"/attendance/month/template/work","who":"administrator","answer":"file"},
});
