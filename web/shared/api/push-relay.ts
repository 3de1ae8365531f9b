// Written by `npm run generate` out of the service's contract.
import type { endpoints } from "#services/push-relay/contract.ts";
import { defineOperations } from "#shared/call/operation.ts";

export const pushRelay = defineOperations<typeof endpoints>("push-relay", ["10002","10004","10003"], {
  receive: {"method":"POST","url":"/wx/wxc/receive","who":"anyone","answer":"bare"},
  listProjects: {"method":"GET","url":"/wx/push/queryPushProject","who":"administrator","answer":"envelope","scoped":true},
  addProject: {"method":"POST","url":"/wx/push/addPushProject","who":"administrator","answer":"envelope","idempotent":true},
  updateProject: {"method":"PUT","url":"/wx/push/updatePushProject","who":"administrator","answer":"envelope"},
  deleteProject: {"method":"DELETE","url":"/wx/push/deletePushProject","who":"administrator","answer":"envelope"},
  addApplication: {"method":"POST","url":"/wx/push/campusApp/save","who":"administrator","answer":"envelope","idempotent":true},
  listApplications: {"method":"GET","url":"/wx/push/campusApp/list","who":"administrator","answer":"envelope"},
  updateApplication: {"method":"PUT","url":"/wx/push/campusApp/update","who":"administrator","answer":"envelope"},
  deleteApplication: {"method":"DELETE","url":"/wx/push/campusApp/delete","who":"administrator","answer":"envelope"},
  listDeliveries: {"method":"GET","url":"/wx/push/delivery/page","who":"administrator","answer":"envelope","page":"curPage","scoped":true},
  findDelivery: {"method":"GET","url":"/wx/push/delivery/info/:id","who":"administrator","answer":"envelope","scoped":true},
  findExchanges: {"method":"GET","url":"/wx/push/delivery/exchange/:id","who":"administrator","answer":"envelope","scoped":true},
  replayDeliveries: {"method":"POST","url":"/wx/push/delivery/replay","who":"administrator","answer":"envelope","scoped":true},
  testProject: {"method":"POST","url":"/wx/push/project/test","who":"administrator","answer":"envelope","scoped":true},
  previewProject: {"method":"GET","url":"/wx/push/project/:id/preview","who":"administrator","answer":"envelope","audited":true},
  pauseProject: {"method":"PUT","url":"/wx/push/project/pause","who":"administrator","answer":"envelope","scoped":true},
  resumeProject: {"method":"PUT","url":"/wx/push/project/resume","who":"administrator","answer":"envelope","scoped":true},
  listProjectHealth: {"method":"GET","url":"/wx/push/project/health","who":"administrator","answer":"envelope","scoped":true},
  readSecret: {"method":"GET","url":"/wx/push/project/secret","who":"administrator","takes":"write","answer":"envelope","audited":true,"scoped":true},
  rotateSecret: {"method":"PUT","url":"/wx/push/project/rotateSecret","who":"administrator","answer":"envelope","scoped":true},
  rotateReceiverKey: {"method":"PUT","url":"/wx/push/project/rotateKey","who":"administrator","answer":"envelope","scoped":true},
  pull: {"method":"GET","url":"/wx/push/pull","who":"guest","answer":"envelope"},
  acknowledgePull: {"method":"PUT","url":"/wx/push/pull","who":"guest","answer":"envelope"},
  backfillProject: {"method":"POST","url":"/wx/push/project/backfill","who":"administrator","answer":"envelope","scoped":true},
  listDirectory: {"method":"GET","url":"/wx/push/directory/page","who":"administrator","answer":"envelope","page":"curPage","audited":true},
});
