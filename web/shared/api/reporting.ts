// Written by `npm run generate` out of the service's contract.
import type { endpoints } from "#services/reporting/contract.ts";
import { defineOperations } from "#shared/call/operation.ts";

export const reporting = defineOperations<typeof endpoints>("reporting", ["10012","10006"], {
  uploadFile: {"method":"POST","url":"/reporting/file/fileUpDown","who":"anyone","answer":"envelope","upload":"upload","idempotent":true},
  readFile: {"method":"GET","url":"/reporting/file/:name","who":"anyone","answer":"file","scoped":true},
  addReport: {"method":"POST","url":"/reporting/informationReporting/add","who":"anyone","answer":"envelope","idempotent":true},
  readReceipt: {"method":"GET","url":"/reporting/informationReporting/receipt/:receipt","who":"anyone","answer":"envelope"},
  listOwnReports: {"method":"GET","url":"/reporting/informationReporting/mine","who":"anyone","answer":"envelope","page":"currPage"},
  deleteReports: {"method":"DELETE","url":"/reporting/informationReporting/delete","who":"administrator","answer":"envelope","scoped":true},
  closeReport: {"method":"DELETE","url":"/reporting/informationReporting/close","who":"administrator","answer":"envelope","scoped":true},
  markValid: {"method":"DELETE","url":"/reporting/informationReporting/valid","who":"administrator","answer":"envelope","scoped":true},
  markInvalid: {"method":"DELETE","url":"/reporting/informationReporting/invalid","who":"administrator","answer":"envelope","scoped":true},
  listReports: {"method":"GET","url":"/reporting/informationReporting/list","who":"administrator","answer":"envelope","page":"currPage","scoped":true},
  readReport: {"method":"GET","url":"/reporting/informationReporting/info/:itemId","who":"administrator","answer":"envelope","scoped":true},
  downloadReports: {"method":"GET","url":"/reporting/informationReporting/download","who":"download","takes":"export","answer":"file","scoped":true},
  issueDownloadTicket: {"method":"POST","url":"/reporting/informationReporting/downloadTicket","who":"administrator","takes":"export","answer":"envelope","scoped":true},
  login: {"method":"POST","url":"/reporting/user/login","who":"anyone","answer":"envelope"},
  addAdministrator: {"method":"POST","url":"/reporting/user/add","who":"super","takes":"accounts","answer":"envelope","idempotent":true},
  deleteAdministrators: {"method":"DELETE","url":"/reporting/user/delete","who":"super","takes":"accounts","answer":"envelope"},
  updateAdministrator: {"method":"PUT","url":"/reporting/user/update","who":"super","takes":"accounts","answer":"envelope"},
  listAdministrators: {"method":"GET","url":"/reporting/user/list","who":"administrator","takes":"accounts","answer":"envelope","page":"currPage"},
  logout: {"method":"POST","url":"/reporting/user/logout","who":"administrator","takes":"own","answer":"envelope"},
  updatePassword: {"method":"PUT","url":"/reporting/user/updatePassword","who":"administrator","takes":"own","answer":"envelope"},
  publicKey: {"method":"GET","url":"/reporting/user/publicKey","who":"anyone","answer":"envelope"},
  findPhone: {"method":"GET","url":"/reporting/wx/getPhone","who":"anyone","answer":"envelope"},
  findOpenId: {"method":"GET","url":"/reporting/wx/getOpenId","who":"anyone","answer":"text"},
  openSession: {"method":"POST","url":"/reporting/wx/session","who":"anyone","answer":"envelope"},
});
