import { platform } from "#shared/api/platform.ts";
import type { Page } from "#console/shell/section.ts";

export const platformPages: readonly Page[] = [
  {
    path: "operators",
    title: { zh: "操作员", en: "Operators" },
    needs: platform.listOperators,
    load: async () => (await import("#console/pages/platform/operators-page.tsx")).OperatorsPage,
  },
  {
    path: "service-accounts",
    title: { zh: "服务账号", en: "Service accounts" },
    needs: platform.listServiceAccounts,
    load: async () =>
      (await import("#console/pages/platform/service-accounts/service-accounts-page.tsx")).ServiceAccountsPage,
  },
  {
    path: "accounts",
    title: { zh: "账号与角色", en: "Accounts and roles" },
    needs: platform.listOperators,
    load: async () => (await import("#console/pages/platform/accounts-page.tsx")).AccountsPage,
  },
  {
    path: "campus-identities",
    title: { zh: "统一身份认证", en: "Campus sign-on" },
    needs: platform.listCampusIdentities,
    load: async () => (await import("#console/pages/platform/sign-on/identities-page.tsx")).IdentitiesPage,
  },
  {
    path: "sessions",
    title: { zh: "会话", en: "Sessions" },
    needs: platform.listSessions,
    load: async () => (await import("#console/pages/platform/sessions-page.tsx")).SessionsPage,
  },
  {
    path: "audit",
    title: { zh: "审计日志", en: "Audit log" },
    needs: platform.listAudit,
    load: async () => (await import("#console/pages/platform/audit-page.tsx")).AuditPage,
  },
  {
    path: "setup",
    title: { zh: "初始设置", en: "Setup" },
    needs: platform.readSetup,
    load: async () => (await import("#console/pages/platform/setup/setup-page.tsx")).SetupPage,
  },
  {
    path: "institution",
    title: { zh: "单位信息", en: "Institution" },
    needs: platform.changeInstitution,
    load: async () => (await import("#console/pages/platform/institution/institution-page.tsx")).InstitutionPage,
  },
  {
    path: "settings",
    title: { zh: "系统设置", en: "Settings" },
    needs: platform.listSettings,
    load: async () => (await import("#console/pages/platform/settings-page.tsx")).SettingsPage,
  },
  {
    path: "alerts",
    title: { zh: "告警", en: "Alerts" },
    needs: platform.listAlerts,
    load: async () => (await import("#console/pages/platform/alerts/alerts-page.tsx")).AlertsPage,
  },
  {
    path: "notices",
    title: { zh: "通知", en: "Notices" },
    needs: platform.readNoticeSettings,
    load: async () => (await import("#console/pages/platform/notices/notices-page.tsx")).NoticesPage,
  },
  {
    path: "notices-sent",
    title: { zh: "通知记录", en: "Notices sent" },
    needs: platform.listNotices,
    load: async () => (await import("#console/pages/platform/notices/sent-page.tsx")).SentNoticesPage,
  },
  {
    path: "health",
    title: { zh: "运行状态", en: "Health" },
    needs: platform.getHealth,
    load: async () => (await import("#console/pages/platform/health-page.tsx")).HealthPage,
  },
];
