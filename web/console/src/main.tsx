// The console starts here.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { App as Messages, ConfigProvider } from "antd";
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

const router = createBrowserRouter(routes, { basename: `${place.base}/console` });

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Left to itself it would wait, without a word, while the browser says that it is offline.
      networkMode: "always",
      // The server's refusals do not change by asking again; a network that fails for a moment does.
      retry: (count, failure) =>
        failure instanceof CallFailure && failure.code === "network" && !currentLine().isDown && count < 2,
    },
    mutations: { networkMode: "always" },
  },
});

// What was read before the line went down may be old, and what failed meanwhile is to be seen. A month's thousands of
// rows are never stale, and are not read again for it.
onLine(() => {
  if (!currentLine().isDown) void queries.refetchQueries({ type: "active", stale: true });
});

function Console() {
  const [language] = useLanguage();
  const dark = useDark();
  const theme = useThemeConfig();
  const account = useSession()?.accountId;
  // What one account has read, the next one must not see; signing in again as the same leaves it all in place.
  // oxlint-disable-next-line react-hooks/exhaustive-deps, react/exhaustive-effect-dependencies -- the change is the point
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
