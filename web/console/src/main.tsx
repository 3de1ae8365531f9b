import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { App as Messages, ConfigProvider, Select } from "antd";
import enGB from "antd/locale/en_GB";
import zhCN from "antd/locale/zh_CN";
import dayjs from "dayjs";
import "dayjs/locale/en-gb";
import "dayjs/locale/zh-cn";
import { useEffect } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, RouterProvider } from "react-router";
import { CallFailure } from "#shared/call/failure.ts";
import { currentLine, onLine } from "#shared/call/line.ts";
import { useLanguage } from "#shared/language/language.ts";
import { nonce, place } from "#shared/place.ts";
import { lendNonce } from "#console/lend-nonce.ts";
import { askOtherTabs, useSession } from "#console/session/session.ts";
import { routes } from "#console/shell/routes.tsx";
import { useDark, useThemeConfig } from "#console/theme/theme.ts";
import "#console/console.css";
import "#console/small.css";
import "#console/paper.css";

lendNonce();

// Nearly every page has a choice field, so Select loads with the first files. The assignment keeps the bundler from
// dropping the import as unused.
Select.displayName = "Select";

const router = createBrowserRouter(routes, { basename: `${place.base}/console` });

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // By default queries would pause silently while the browser reports being offline.
      networkMode: "always",
      // Refused calls are not retried, since they would be refused again.
      retry: (count, failure) =>
        failure instanceof CallFailure && failure.code === "network" && !currentLine().isDown && count < 2,
    },
    mutations: { networkMode: "always" },
  },
});

// After an outage, data may be stale and failed reads must be retried. The rows of an attendance month, which may be
// thousands, never count as stale and are not read again.
onLine(() => {
  if (!currentLine().isDown) void queries.refetchQueries({ type: "active", stale: true });
});

function Console() {
  const [language] = useLanguage();
  const dark = useDark();
  const theme = useThemeConfig();
  const account = useSession()?.accountId;
  // Another account must not see cached data; signing in again as the same account keeps the data.
  // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies -- the effect must run whenever the account changes
  useEffect(() => () => queries.clear(), [account]);
  useEffect(() => {
    document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
    document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  }, [language, dark]);
  dayjs.locale(language === "zh" ? "zh-cn" : "en-gb");
  return (
    <ConfigProvider
      locale={language === "zh" ? zhCN : enGB}
      theme={theme}
      csp={{ nonce }}
      button={{ autoInsertSpace: false }}
    >
      <Messages message={{ maxCount: 3 }} className="q-app">
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </Messages>
    </ConfigProvider>
  );
}

const root = document.querySelector("#console");
void askOtherTabs().then(() => root && createRoot(root).render(<Console />));
