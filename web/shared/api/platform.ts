// Written by `npm run generate` out of the service's contract.
import type { PlatformEndpoints } from "#platform/accounts/operators/contract.ts";
import { defineOperations } from "#shared/call/operation.ts";

export const platform = defineOperations<PlatformEndpoints>("platform", ["10012","10006"], {
  login: {"method":"POST","url":"/platform/login","who":"anyone","answer":"envelope"},
  logout: {"method":"POST","url":"/platform/logout","who":"administrator","answer":"envelope"},
  updatePassword: {"method":"PUT","url":"/platform/updatePassword","who":"administrator","answer":"envelope"},
  publicKey: {"method":"GET","url":"/platform/publicKey","who":"anyone","answer":"envelope"},
  listOperators: {"method":"GET","url":"/platform/operator/list","who":"operator","answer":"envelope","page":"curPage"},
  createOperator: {"method":"POST","url":"/platform/operator/save","who":"operator","answer":"envelope","idempotent":true},
  updateOperator: {"method":"PUT","url":"/platform/operator/update","who":"operator","answer":"envelope"},
  deleteOperators: {"method":"DELETE","url":"/platform/operator/delete","who":"operator","answer":"envelope"},
  readOwnSession: {"method":"GET","url":"/platform/session/own","who":"account","answer":"envelope"},
  listSessions: {"method":"GET","url":"/platform/session/list","who":"operator","answer":"envelope","page":"curPage"},
  deleteSessions: {"method":"DELETE","url":"/platform/session/delete","who":"operator","answer":"envelope"},
  listAudit: {"method":"GET","url":"/platform/audit","who":"operator","answer":"envelope","page":"curPage"},
  listSettings: {"method":"GET","url":"/platform/settings","who":"operator","answer":"envelope"},
  getHealth: {"method":"GET","url":"/platform/health","who":"operator","answer":"envelope"},
  listAlerts: {"method":"GET","url":"/platform/alerts/list","who":"operator","answer":"envelope","page":"curPage"},
  muteAlert: {"method":"POST","url":"/platform/alerts/mute","who":"operator","answer":"envelope"},
  unmuteAlert: {"method":"POST","url":"/platform/alerts/unmute","who":"operator","answer":"envelope"},
  listAlertConditions: {"method":"GET","url":"/platform/alerts/conditions/list","who":"operator","answer":"envelope"},
  updateAlertCondition: {"method":"PUT","url":"/platform/alerts/conditions/update","who":"operator","answer":"envelope"},
  listAlertChannels: {"method":"GET","url":"/platform/alerts/channels/list","who":"operator","answer":"envelope","page":"curPage"},
  createAlertChannel: {"method":"POST","url":"/platform/alerts/channels/save","who":"operator","answer":"envelope","idempotent":true},
  updateAlertChannel: {"method":"PUT","url":"/platform/alerts/channels/update","who":"operator","answer":"envelope"},
  deleteAlertChannels: {"method":"DELETE","url":"/platform/alerts/channels/delete","who":"operator","answer":"envelope"},
  testAlertChannel: {"method":"POST","url":"/platform/alerts/channels/test","who":"operator","answer":"envelope"},
  readMapSettings: {"method":"GET","url":"/map/settings","who":"anyone","answer":"envelope"},
});
